// app/watch: a model on the disk that was opened beside a stream. It reads the tokens that the process has
// read and is compared with it, since equal shapes do not mean equal weights.
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

struct ShownWatch;
struct WatchState;

struct WatchJoin {
  WatchedSnapshotPtr text;     // snapshot of the stream when the model was chosen; never null
  std::filesystem::path path;  // of the model
  std::string name;
  std::filesystem::path stream;
  std::uint64_t pid = 0;
  std::string dtype;              // number type of the process
  std::vector<std::int64_t> ids;  // tokens that the process has read and the model reads; empty: not sent
  std::int64_t layer = 0, head = 0;
  Cell cell;  // the shown cell

  /// Whether a Document's model is the one that was opened.
  bool is_in(const ModelContext&) const;
  /// Whether it also reads those tokens, without changes inside the model.
  bool reads_the_same(const ModelContext&) const;
};
/// From what the Watch page shows; path and name are those of the chosen offer, which must exist.
WatchJoin join_of(const ShownWatch&, const WatchState&);

/// The compared rows of one layer's attention weights in the opened model, copied.
struct OpenedWeights {
  std::int64_t layer = 0, heads = 0, queries = 0, keys = 0;
  std::int64_t begin = 0, end = 0;  // rows of the watched layer, by number
  std::vector<float> weights;       // [heads][end - begin][keys]
};
/// The weights of the layer on screen. Empty if its model is another one, reads other tokens or has changes
/// inside, if the layer is too long for its weights to be kept, or if the stream has no such layer with as
/// many heads.
std::optional<OpenedWeights> opened_weights(const LayerResult&, const WatchJoin&);

/// How far two runs of the same weights may be apart. SmolLM2-135M is within 3e-6 in every layer in float32,
/// and within 0.03 in bfloat16; a GPT-2 whose weights are 5 % off by 1e-3 where it looks at all keys alike.
double join_tolerance(const std::string& dtype);
/// Throws Error as watched_weights() does, or Cancelled.
JoinVerdict compare_joined(const WatchJoin&, const OpenedWeights&, const Work&);

}  // namespace attnscope
