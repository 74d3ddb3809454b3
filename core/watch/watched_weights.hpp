// core/watch: the exact weights of a watched layer, computed here from q and k with the streaming engine: of
// a head, of a row, or as a small picture. In float32, with the tolerances of everything else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/head_patterns.hpp"
#include "core/base/parallel.hpp"
#include "core/document/document.hpp"
#include "core/streaming/sweep.hpp"
#include "core/watch/watched_text.hpp"

namespace attnscope {

/// Rows [begin, end) of one head of one sequence, by their number among the known rows; end -1: to the last.
struct WatchedPlace {
  std::int64_t head = 0, batch = 0;
  std::int64_t begin = 0, end = -1;
};
/// [rows][keys]: 0 where a key is hidden, or did not exist yet. Throws Error where a mask of so many cells is
/// too large to be looked at whole (see max_cells), or Cancelled.
Tensor watched_weights(const WatchedLayer&, const WatchedPlace&, const Work&);
/// One row, [keys]. O(keys · d_k), so good enough for every frame of a list.
std::vector<float> watched_row(const WatchedLayer&, std::int64_t head, std::int64_t row, std::int64_t batch,
                               const Work&);
/// The keys that a row may see, [keys]: 1, or 0 where causality, window or mask hide it.
std::vector<std::uint8_t> watched_visible(const WatchedLayer&, std::int64_t head, std::int64_t row,
                                          std::int64_t batch = 0);

/// Small pictures of all heads of a layer, and what its rows are like. H = heads, R = rows of the range.
struct WatchedPictures {
  std::int64_t rows_per_cell = 1, keys_per_cell = 1;
  Tensor mean, max;   // [H][cells down][cells across]; with cells of 1 × 1 the weights themselves
  Tensor entropy;     // [H][R], nats
  Tensor normalised;  // [H][R], entropy / ln(allowed keys); NaN with fewer than two
  Tensor largest;     // [H][R], the largest weight
  std::vector<std::int32_t> strongest;  // [H][R], its key; -1: the row sees none
};
/// `side`: cells in a picture's side at most; power-of-two cells. `rows`: by number; all by default.
/// Throws as watched_weights().
WatchedPictures watched_pictures(const WatchedLayer&, std::int64_t side, std::int64_t batch, const Work&,
                                 RowRange rows = {});

/// watched_pictures() of all rows, of which those that `before` had are taken from `pictures`, its own: the
/// cost is that of the rows that came since. Nothing where the layer did not go on from `before`, or where
/// its cells have another size now. Throws as watched_weights().
std::optional<WatchedPictures> continued_pictures(const WatchedLayer& before, const WatchedPictures& pictures,
                                                  const WatchedLayer& now, std::int64_t side,
                                                  std::int64_t batch, const Work&);

/// What a head does in the rows that are known, each with what uniform attention under the same mask has.
/// Rows with fewer than two allowed keys count in none.
struct WatchedMeasures {
  PatternScore previous, first;  // the token before, key 0
  /// By equal ids: keys of the same id elsewhere, and keys behind those. NaN without ids.
  PatternScore duplicate, induction;
  double normalised = 0;  // mean of entropy / ln(allowed keys); uniform attention has 1
  std::int64_t rows = 0;
};
/// Of weights as watched_weights() gives them for the same place. `ids`: of the keys, may be empty.
WatchedMeasures watched_measures(const WatchedLayer&, const WatchedPlace&, const Tensor& weights,
                                 std::span<const std::int64_t> ids);

/// Largest |difference| between the output that the process sent with its last call and weights · values
/// computed here; nothing where it sent none. Throws as watched_weights().
std::optional<double> watched_output_error(const WatchedLayer&, const Work&);

/// The layer as a Document of given Q, K and V, which opens in Explore: labels, scale, mask, window,
/// soft-cap, sinks. `title`: "LlamaForCausalLM". Throws Error, see check().
Document watched_document(const WatchedSnapshot&, std::int64_t layer, const std::string& title);

}  // namespace attnscope
