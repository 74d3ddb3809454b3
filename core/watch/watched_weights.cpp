#include "core/watch/watched_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "core/attention/row_math.hpp"
#include "core/base/error.hpp"
#include "core/streaming/tile.hpp"
#include "core/watch/watched_cells.hpp"
#include "core/watch/watched_problem.hpp"

namespace attnscope {
namespace {

constexpr std::int64_t most_cells_at_once = std::int64_t{1} << 22;  // of a mask: 16 MiB
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

void check_part(const WatchedLayer& layer, const WatchedPart& part) {
  const auto refuse = [&](const char* what, std::int64_t found, std::int64_t count) {
    throw Error(
        fmt::format("{} {} of layer {} is not known: there are {}.", what, found, layer.index, count));
  };
  if (part.batch < 0 || part.batch >= layer.batch) refuse("Sequence", part.batch, layer.batch);
  if (part.first_head < 0 || part.last_head > layer.heads) refuse("Head", part.first_head, layer.heads);
  if (part.begin < 0 || part.end > layer.rows() || part.begin >= part.end)
    refuse("Row", part.begin, layer.rows());
}

/// How many rows to take at a time, so that their mask does not have too many cells; a multiple of `unit`.
std::int64_t rows_at_once(const WatchedLayer& layer, const WatchedPart& part, std::int64_t unit) {
  const std::int64_t heads = heads_with_cells(layer, part);
  if (heads == 0) return part.rows();
  const std::int64_t rows = most_cells_at_once / std::max<std::int64_t>(1, heads * layer.keys());
  return std::max(unit, rows / unit * unit);
}

/// Calls fn(part, first row relative to `all`) for pieces that cover all its rows.
template <class Fn>
void for_pieces(const WatchedLayer& layer, const WatchedPart& all, std::int64_t unit, Fn&& fn) {
  const std::int64_t step = rows_at_once(layer, all, unit);
  for (std::int64_t begin = all.begin; begin < all.end; begin += step) {
    WatchedPart part = all;
    part.begin = begin;
    part.end = std::min(all.end, begin + step);
    fn(part, begin - all.begin);
  }
}

WatchedPart part_of(const WatchedLayer& layer, const WatchedPlace& place) {
  const WatchedPart part{place.batch, place.head, place.head + 1, place.begin,
                         place.end < 0 ? layer.rows() : place.end};
  check_part(layer, part);
  return part;
}

double normalised_entropy(double entropy, std::int64_t allowed) {
  return allowed < 2 ? no_number : entropy / std::log(static_cast<double>(allowed));
}

/// Writes each row's entropy / ln(allowed keys); keys are counted once if the mask is the same for all heads.
void write_normalised(const AttentionProblem& p, std::int64_t first, const Sweep& swept, Tensor& normalised) {
  const std::int64_t heads = p.heads, rows = p.queries, all_rows = normalised.shape()[1];
  const bool alike = p.additive.heads == 1;
  for (std::int64_t i = 0; i < rows; ++i) {
    std::int64_t allowed = allowed_keys(p, 0, i);
    for (std::int64_t h = 0; h < heads; ++h) {
      if (!alike && h > 0) allowed = allowed_keys(p, h, i);
      const auto entropy = static_cast<double>(swept.entropy.data()[h * rows + i]);
      normalised.data()[h * all_rows + first + i] = static_cast<float>(normalised_entropy(entropy, allowed));
    }
  }
}

/// Copies the picture of a piece that begins with a row of cells.
void copy_picture(const Tensor& from, std::int64_t first, Tensor& to) {
  const Shape &s = from.shape(), &all = to.shape();
  for (std::int64_t h = 0; h < s[0]; ++h)
    std::copy_n(from.data() + h * s[1] * s[2], s[1] * s[2], to.data() + (h * all[1] + first) * all[2]);
}

/// Sums a score over rows.
class PatternSum {
 public:
  template <class Counts>
  void add(std::span<const float> weights, std::span<const std::uint8_t> seen, std::int64_t allowed,
           Counts&& counts) {
    double mass = 0;
    std::int64_t counted = 0;
    for (std::size_t key = 0; key < weights.size(); ++key) {
      if (seen[key] == 0 || !counts(static_cast<std::int64_t>(key))) continue;
      mass += static_cast<double>(weights[key]);
      ++counted;
    }
    if (counted == 0 || counted == allowed) return;
    sum_.score += mass;
    sum_.uniform += static_cast<double>(counted) / static_cast<double>(allowed);
    ++sum_.rows;
  }
  PatternScore mean() const {
    const double rows = sum_.rows == 0 ? no_number : static_cast<double>(sum_.rows);
    return {sum_.score / rows, sum_.uniform / rows, sum_.rows};
  }

 private:
  PatternScore sum_;
};

std::vector<std::uint8_t> visible_row(const AttentionProblem& p, std::int64_t row) {
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(p.keys));
  for (std::int64_t key = 0; key < p.keys; ++key)
    seen[static_cast<std::size_t>(key)] = is_hidden(p, 0, row, key) ? 0 : 1;
  return seen;
}

/// Sums the measures over the rows of one head.
class MeasuredRows {
 public:
  MeasuredRows(const WatchedLayer& layer, std::span<const std::int64_t> ids)
      : is_cross_(layer.kind == WatchKind::Cross), ids_(ids) {}

  void add(std::int64_t position, std::span<const float> weights, std::span<const std::uint8_t> seen) {
    const std::int64_t allowed = std::ranges::count(seen, std::uint8_t{1});
    if (allowed < 2) return;
    const double whole = std::accumulate(weights.begin(), weights.end(), 0.0);
    entropy_ += normalised_entropy(entropy_of_weights(weights, whole), allowed);
    ++rows_;
    first_.add(weights, seen, allowed, [](std::int64_t key) { return key == 0; });
    if (is_cross_) return;
    previous_.add(weights, seen, allowed, [&](std::int64_t key) { return key == position - 1; });
    const std::int64_t id = id_at(position);
    if (id < 0) return;
    duplicate_.add(weights, seen, allowed,
                   [&](std::int64_t key) { return key != position && id_at(key) == id; });
    induction_.add(weights, seen, allowed,
                   [&](std::int64_t key) { return key - 1 != position && id_at(key - 1) == id; });
  }
  WatchedMeasures means() const {
    return {previous_.mean(),
            first_.mean(),
            duplicate_.mean(),
            induction_.mean(),
            rows_ == 0 ? no_number : entropy_ / static_cast<double>(rows_),
            rows_};
  }

 private:
  std::int64_t id_at(std::int64_t position) const {
    return position >= 0 && position < std::ssize(ids_) ? ids_[static_cast<std::size_t>(position)] : -1;
  }

  bool is_cross_;
  std::span<const std::int64_t> ids_;
  PatternSum previous_, first_, duplicate_, induction_;
  double entropy_ = 0;
  std::int64_t rows_ = 0;
};

}  // namespace

Tensor watched_weights(const WatchedLayer& layer, const WatchedPlace& place, const Work& work) {
  const WatchedPart all = part_of(layer, place);
  Tensor weights(Shape{all.rows(), layer.keys()});
  for_pieces(layer, all, 1, [&](const WatchedPart& part, std::int64_t first) {
    const WatchedProblem made = watched_problem(layer, part);
    const Tensor piece = tile(made.problem, TileRequest{}, nullptr, work);
    std::copy_n(piece.data(), piece.size(), weights.data() + first * layer.keys());
  });
  return weights;
}

std::vector<float> watched_row(const WatchedLayer& layer, std::int64_t head, std::int64_t row,
                               std::int64_t batch, const Work& work) {
  const Tensor weights = watched_weights(layer, {head, batch, row, row + 1}, work);
  return {weights.values().begin(), weights.values().end()};
}

std::vector<std::uint8_t> watched_visible(const WatchedLayer& layer, std::int64_t head, std::int64_t row,
                                          std::int64_t batch) {
  return visible_row(watched_problem(layer, part_of(layer, {head, batch, row, row + 1})).problem, 0);
}

PooledCells watched_cells(const WatchedLayer& layer, std::int64_t rows, std::int64_t side) {
  return {cell_side(rows, side), cell_side(layer.keys(), std::min(side, most_picture_columns))};
}

WatchedPictures pictures_of_part(const WatchedLayer& layer, const WatchedPart& all, const PooledCells& of,
                                 const Work& work) {
  const std::int64_t heads = layer.heads, count = all.rows();
  WatchedPictures made;
  made.rows_per_cell = of.rows_per_cell;
  made.keys_per_cell = of.keys_per_cell;
  const Shape cells{heads, (count + made.rows_per_cell - 1) / made.rows_per_cell,
                    (layer.keys() + made.keys_per_cell - 1) / made.keys_per_cell};
  made.mean = made.max = Tensor(cells);
  made.entropy = made.normalised = made.largest = Tensor(Shape{heads, count});
  made.strongest.resize(static_cast<std::size_t>(heads * count));
  SweepRequest request;
  request.output = false;
  request.strongest = true;
  request.picture = of;
  Sweep swept;
  for_pieces(layer, all, made.rows_per_cell, [&](const WatchedPart& part, std::int64_t first) {
    const WatchedProblem problem = watched_problem(layer, part);
    sweep_into(swept, problem.problem, request, work);
    copy_picture(swept.mean, first / made.rows_per_cell, made.mean);
    copy_picture(swept.largest_cells(), first / made.rows_per_cell, made.max);
    put_head_rows(swept.entropy.data(), heads, part.rows(), part.rows(), made.entropy.data(), count, first);
    put_head_rows(swept.largest.data(), heads, part.rows(), part.rows(), made.largest.data(), count, first);
    put_head_rows(swept.strongest.data(), heads, part.rows(), part.rows(), made.strongest.data(), count,
                  first);
    write_normalised(problem.problem, first, swept, made.normalised);
  });
  return made;
}

WatchedPictures watched_pictures(const WatchedLayer& layer, std::int64_t side, std::int64_t batch,
                                 const Work& work, RowRange rows) {
  const WatchedPart all{batch, 0, layer.heads, rows.begin, rows.end < 0 ? layer.rows() : rows.end};
  check_part(layer, all);
  return pictures_of_part(layer, all, watched_cells(layer, all.rows(), side), work);
}

WatchedMeasures watched_measures(const WatchedLayer& layer, const WatchedPlace& place, const Tensor& weights,
                                 std::span<const std::int64_t> ids) {
  const WatchedPart all = part_of(layer, place);
  if (!(weights.shape() == Shape{all.rows(), layer.keys()}))
    throw Error(fmt::format("The weights have shape {}, expected [{}, {}] of rows and keys.",
                            to_string(weights.shape()), all.rows(), layer.keys()));
  MeasuredRows measured(layer, ids);
  for_pieces(layer, all, 1, [&](const WatchedPart& part, std::int64_t first) {
    const WatchedProblem made = watched_problem(layer, part);
    for (std::int64_t i = 0; i < part.rows(); ++i)
      measured.add(layer.position(part.begin + i),
                   weights.values().subspan(static_cast<std::size_t>((first + i) * layer.keys()),
                                            static_cast<std::size_t>(layer.keys())),
                   visible_row(made.problem, i));
  });
  return measured.means();
}

std::optional<double> watched_output_error(const WatchedLayer& layer, const Work& work) {
  if (!layer.output) return std::nullopt;
  const std::int64_t rows = layer.calls.back().count, width = layer.d_v;
  double largest = 0;
  for (std::int64_t b = 0; b < layer.batch; ++b) {
    const WatchedPart all{b, 0, layer.heads, layer.rows() - rows, layer.rows()};
    for_pieces(layer, all, 1, [&](const WatchedPart& part, std::int64_t first) {
      const WatchedProblem made = watched_problem(layer, part);
      const Sweep swept = sweep(made.problem, SweepRequest{}, work);
      for (std::int64_t h = 0; h < layer.heads; ++h)
        for (std::int64_t i = 0; i < part.rows(); ++i)
          for (std::int64_t d = 0; d < width; ++d) {
            const float here = swept.output.data()[(h * part.rows() + i) * width + d],
                        there = layer.output->data()[((b * rows + first + i) * layer.heads + h) * width + d];
            const double error = std::abs(static_cast<double>(here) - static_cast<double>(there));
            if (!(error <= largest)) largest = error;  // NaN too
          }
    });
  }
  return largest;
}

}  // namespace attnscope
