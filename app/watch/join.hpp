// app/watch: a model on the disk that was opened beside a stream, reads the tokens that the process has read,
// and is compared with it: that shapes agree does not say that the weights do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/state/selection.hpp"
#include "app/state/watch/watch_beside.hpp"
#include "core/base/parallel.hpp"
#include "core/engine/result.hpp"
#include "core/watch/watched_text.hpp"

namespace attnscope {

struct WatchSight;
struct WatchState;

struct WatchJoin {
  WatchedSnapshotPtr text;     // of the stream, as it was then; never null
  std::filesystem::path path;  // of the model
  std::string name;
  std::filesystem::path stream;
  std::uint64_t pid = 0;
  std::string dtype;              // that the process computes with
  std::vector<std::int64_t> ids;  // that it has read, and that the model reads; empty: it did not say them
  std::int64_t layer = 0, head = 0;
  Cell cell;  // that is looked at

  /// Whether the Document stands in that model.
  bool is_in(const ModelContext&) const;
  /// Whether it reads those tokens, with nothing changed inside.
  bool reads_the_same(const ModelContext&) const;
};
/// Of what is on the Watch page; path and name are those of its chosen offer, which must be there.
WatchJoin join_of(const WatchSight&, const WatchState&);

/// The weights of one layer of the opened model, copied: the rows that are compared.
struct OpenedWeights {
  std::int64_t layer = 0, heads = 0, queries = 0, keys = 0;
  std::int64_t begin = 0, end = 0;  // rows of the watched layer, by number
  std::vector<float> weights;       // [heads][end - begin][keys]
};
/// Of the layer on screen; nothing where it is another model's, reads other tokens, is changed inside, is too
/// long to have its weights at hand, or was not seen in the stream with as many heads.
std::optional<OpenedWeights> opened_weights(const LayerResult&, const WatchJoin&);

/// How far two runs of the same weights may be apart. SmolLM2-135M is within 3e-6 in every layer in float32,
/// and within 0.03 in bfloat16; a GPT-2 whose weights are 5 % off by 1e-3 where it looks at all keys alike.
double join_tolerance(const std::string& dtype);
/// Throws Error as watched_weights() does, or Cancelled.
JoinVerdict compare_joined(const WatchJoin&, const OpenedWeights&, const Work&);

}  // namespace attnscope
