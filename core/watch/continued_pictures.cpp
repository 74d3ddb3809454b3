// core/watch: extends the pictures of a layer that has new rows; those of earlier rows are kept.
#include <algorithm>
#include <tuple>

#include "core/watch/watched_cells.hpp"
#include "core/watch/watched_weights.hpp"

namespace attnscope {
namespace {

/// Whether `now` is `before` with rows added: the first rows are the same, with the same masks. Their keys
/// are the same as long as the rows are, see WatchedText.
bool layer_goes_on(const WatchedLayer& before, const WatchedLayer& now) {
  const auto kind = [](const WatchedLayer& l) {
    return std::tie(l.index, l.kind, l.sequence, l.batch, l.heads, l.kv_heads, l.d_k, l.scale, l.soft_cap,
                    l.window, l.sinks);
  };
  const auto call = [](const WatchedRows& r) {
    return std::tie(r.pass, r.first, r.count, r.row, r.keys, r.causal, r.mask, r.bias);
  };
  return kind(before) == kind(now) && before.rows() > 0 && before.keys() <= now.keys() &&
         before.calls.size() <= now.calls.size() &&
         std::equal(before.calls.begin(), before.calls.end(), now.calls.begin(),
                    [&](const WatchedRows& a, const WatchedRows& b) { return call(a) == call(b); });
}

}  // namespace

std::optional<WatchedPictures> continued_pictures(const WatchedLayer& before, const WatchedPictures& pictures,
                                                  const WatchedLayer& now, std::int64_t side,
                                                  std::int64_t batch, const Work& work) {
  const std::int64_t kept_rows = before.rows(), rows = now.rows(), heads = now.heads;
  if (!layer_goes_on(before, now) || pictures.entropy.shape() != Shape{heads, kept_rows}) return std::nullopt;
  const PooledCells cells{pictures.rows_per_cell, pictures.keys_per_cell};
  if (watched_cells(now, rows, side) != cells) return std::nullopt;
  const std::int64_t high = pictures.rows_per_cell, wide = pictures.keys_per_cell;
  const std::int64_t kept = kept_rows / high, first = kept * high;  // full rows of cells
  if (first == rows) return pictures;
  const WatchedPictures rest = pictures_of_part(now, {batch, 0, heads, first, rows}, cells, work);
  WatchedPictures made;
  made.rows_per_cell = high;
  made.keys_per_cell = wide;
  const std::int64_t old_down = pictures.mean.shape()[1], old_across = pictures.mean.shape()[2],
                     rest_down = rest.mean.shape()[1], across = rest.mean.shape()[2], down = kept + rest_down;
  made.mean = made.max = Tensor(Shape{heads, down, across});  // old rows get 0 in new columns, as hidden keys
  // The mean in the last column of cells was over fewer keys.
  const std::int64_t keys_in_last = before.keys() - (old_across - 1) * wide,
                     keys_there_now = std::min(wide, now.keys() - (old_across - 1) * wide);
  const float share = static_cast<float>(keys_in_last) / static_cast<float>(keys_there_now);
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t i = 0; i < kept; ++i) {
      const std::int64_t from = (h * old_down + i) * old_across, to = (h * down + i) * across;
      std::copy_n(pictures.mean.data() + from, old_across, made.mean.data() + to);
      std::copy_n(pictures.max.data() + from, old_across, made.max.data() + to);
      made.mean.data()[to + old_across - 1] *= share;
    }
    const std::int64_t from = h * rest_down * across, to = (h * down + kept) * across;
    std::copy_n(rest.mean.data() + from, rest_down * across, made.mean.data() + to);
    std::copy_n(rest.max.data() + from, rest_down * across, made.max.data() + to);
  }
  made.entropy = made.normalised = made.largest = Tensor(Shape{heads, rows});
  made.strongest.resize(static_cast<std::size_t>(heads * rows));
  const auto join = [&](const auto* old, const auto* added, auto* to) {
    put_head_rows(old, heads, kept_rows, first, to, rows, 0);
    put_head_rows(added, heads, rows - first, rows - first, to, rows, first);
  };
  join(pictures.entropy.data(), rest.entropy.data(), made.entropy.data());
  join(pictures.normalised.data(), rest.normalised.data(), made.normalised.data());
  join(pictures.largest.data(), rest.largest.data(), made.largest.data());
  join(pictures.strongest.data(), rest.strongest.data(), made.strongest.data());
  return made;
}

}  // namespace attnscope
