#include "core/engine/tiles.hpp"

#include <algorithm>
#include <utility>

#include "core/streaming/tile.hpp"

namespace attnscope {
namespace {

/// The step between the tile's computed queries: 1 if a cell has fewer queries than the survey's step, else
/// the survey's step.
std::int64_t step_of(const Survey& survey, int level) {
  const std::int64_t known = survey.known.rows.step;
  return known <= std::int64_t{1} << level ? known : 1;
}

}  // namespace

WeightTile make_tile(const Survey& survey, const TilePlace& place, Backend* backend, const Work& work) {
  const AttentionProblem& p = survey.problem();
  const std::int64_t span = TilePlace::side << place.level;
  WeightTile tile;
  tile.step = step_of(survey, place.level);
  TileRequest request;
  request.head = place.head;
  request.rows = {place.first_query(), std::min(p.queries, place.first_query() + span), tile.step};
  request.first_key = place.first_key();
  request.last_key = std::min(p.keys, request.first_key + span);
  const std::int64_t size = std::int64_t{1} << place.level;
  const PooledCells cells{std::max<std::int64_t>(1, size / tile.step), size};
  PooledTile made = backend != nullptr ? backend->pooled_tile(p, request, cells, &survey.known, work.stop)
                                       : pooled_tile(p, request, cells, &survey.known, work);
  tile.max = std::move(made.max);
  tile.mean = std::move(made.mean);
  return tile;
}

WeightRow make_row(const LayerResult& of, const RowPlace& place, const Work& work) {
  WeightRow row;
  row.cells = computed_row(of, place.sequence, place.head, place.query, work);
  std::vector<std::int32_t> order(row.cells.weights.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<std::int32_t>(j);
  const auto weight = [&](std::int32_t j) { return row.cells.weights[static_cast<std::size_t>(j)]; };
  const auto first = order.begin() + std::min<std::ptrdiff_t>(WeightRow::most_strongest, std::ssize(order));
  // NaN would break the order of the sort, so it counts as the least.
  const auto rank = [&](std::int32_t j) { return weight(j) == weight(j) ? weight(j) : -1.f; };
  std::partial_sort(order.begin(), first, order.end(), [&](std::int32_t a, std::int32_t b) {
    return rank(a) != rank(b) ? rank(a) > rank(b) : a < b;
  });
  row.strongest.assign(order.begin(), first);
  return row;
}

}  // namespace attnscope
