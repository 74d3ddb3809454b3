// core/watch: the exact weights of a watched layer, computed from q and k with the streaming engine: of a
// head, of a row, or as a small picture. In float32, with the same tolerances as all results.
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

/// Rows [begin, end) of one head of one sequence, by index among the known rows; end -1: to the last.
struct WatchedPlace {
  std::int64_t head = 0, batch = 0;
  std::int64_t begin = 0, end = -1;
};
/// [rows][keys]: 0 for a key that is hidden or did not exist yet. Throws Error if a mask of so many cells is
/// too large (see max_cells), or Cancelled.
Tensor watched_weights(const WatchedLayer&, const WatchedPlace&, const Work&);
/// One row, [keys]. O(keys · d_k), fast enough for a list in every frame.
std::vector<float> watched_row(const WatchedLayer&, std::int64_t head, std::int64_t row, std::int64_t batch,
                               const Work&);
/// Whether a row may see each key, [keys]: 1, or 0 if causality, window or mask hide it.
std::vector<std::uint8_t> watched_visible(const WatchedLayer&, std::int64_t head, std::int64_t row,
                                          std::int64_t batch = 0);

/// Small pictures of all heads of a layer, and statistics of its rows. H = heads, R = rows of the range.
struct WatchedPictures {
  std::int64_t rows_per_cell = 1, keys_per_cell = 1;
  Tensor mean, max;   // [H][cells down][cells across]; with cells of 1 × 1 the weights themselves
  Tensor entropy;     // [H][R], nats
  Tensor normalised;  // [H][R], entropy / ln(allowed keys); NaN for fewer than two keys
  Tensor largest;     // [H][R], the largest weight
  std::vector<std::int32_t> strongest;  // [H][R], its key; -1: the row sees no key
};
/// `side`: the most cells on a picture's side; cell sizes are powers of two. `rows`: by index; all by
/// default. Throws as watched_weights().
WatchedPictures watched_pictures(const WatchedLayer&, std::int64_t side, std::int64_t batch, const Work&,
                                 RowRange rows = {});

/// watched_pictures() of all rows; the rows of `before` are taken from `pictures`, its pictures, so that only
/// new rows cost time. Nothing if the layer is not a continuation of `before`, or if the size of its cells
/// has changed. Throws as watched_weights().
std::optional<WatchedPictures> continued_pictures(const WatchedLayer& before, const WatchedPictures& pictures,
                                                  const WatchedLayer& now, std::int64_t side,
                                                  std::int64_t batch, const Work&);

/// Measures of a head over the known rows, each with the value of uniform attention under the same mask. Rows
/// with fewer than two allowed keys are left out.
struct WatchedMeasures {
  PatternScore previous, first;  // the token before, key 0
  /// By equal ids: other keys with the same id, and the keys behind them. NaN without ids.
  PatternScore duplicate, induction;
  double normalised = 0;  // mean of entropy / ln(allowed keys); uniform attention has 1
  std::int64_t rows = 0;
};
/// From the weights that watched_weights() gives for the same place. `ids`: of the keys, may be empty.
WatchedMeasures watched_measures(const WatchedLayer&, const WatchedPlace&, const Tensor& weights,
                                 std::span<const std::int64_t> ids);

/// Largest |difference| between the output in the process's last call and weights · values computed here;
/// nothing if the process sent no output. Throws as watched_weights().
std::optional<double> watched_output_error(const WatchedLayer&, const Work&);

/// The layer as a Document of given Q, K and V, to open in Explore: with labels, scale, mask, window,
/// soft-cap and sinks. `title`: "LlamaForCausalLM". Throws Error, see check().
Document watched_document(const WatchedSnapshot&, std::int64_t layer, const std::string& title);

}  // namespace attnscope
