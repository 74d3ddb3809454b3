#include "core/engine/cell_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/attention/run_stage.hpp"
#include "core/streaming/tile.hpp"

namespace attnscope {
namespace {

/// The storage of a computed row; each [keys].
struct CellNumbers {
  Tensor score, scaled, masked, weights;
  std::vector<float> capped, bias;
  std::vector<std::int32_t> by_weight;
};

Tensor cells(const AttentionProblem& p, TileRequest request, TileKind kind, const Sweep* known,
             const Work& work) {
  request.kind = kind;
  return tile(p, request, known, work);
}

/// The position bias of each key; empty without one.
std::vector<float> bias_of(const AttentionProblem& p, std::int64_t h, std::int64_t query) {
  const std::span<const float> row = distance_row(p, h, query);
  return {row.begin(), row.end()};
}

std::vector<std::int32_t> sorted_by_weight(const CellRow& row) {
  std::vector<std::int32_t> order(row.weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return weight_rank(row, a) > weight_rank(row, b); });
  return order;
}

}  // namespace

double weight_rank(const CellRow& row, std::int64_t key) {
  const auto at = static_cast<std::size_t>(key);
  const float weight = row.weights[at];
  if (std::isnan(weight)) return std::numeric_limits<double>::infinity();
  return weight == 0 && row.masked[at] == -std::numeric_limits<float>::infinity()
             ? -1.0
             : static_cast<double>(weight);
}

CellRow row_of_planes(const LayerResult& r, std::int64_t b, std::int64_t h, std::int64_t query) {
  const auto of = [&](Stage stage) {
    const Tensor& plane = *r.trace[stage];
    // A plane with batch 1 is shared by all sequences.
    return std::span(plane.matrix(plane.shape()[0] == 1 ? 0 : b, h).row(query).data(),
                     static_cast<std::size_t>(r.dimensions.keys));
  };
  CellRow row;
  row.score = of(Stage::Score);
  row.scaled = of(Stage::Scale);
  row.capped = of(Stage::Cap);
  if (r.trace[Stage::Bias]) row.bias = of(Stage::Bias);
  row.masked = of(Stage::Mask);
  row.softmax = of(Stage::Softmax);
  row.own = of(own_weights_stage(r.document));
  row.weights = of(weights_stage(r.document));
  row.mixed = of(Stage::Drop);
  row.measures = r.measures.row(b, h, query);
  return row;
}

CellRow computed_row(const LayerResult& result, std::int64_t b, std::int64_t h, std::int64_t query,
                     const Work& work) {
  const AttentionProblem& p = result.surveys[static_cast<std::size_t>(b)]->problem();
  SweepRequest swept;
  swept.output = false;
  swept.first_head = h;
  swept.last_head = h + 1;
  swept.rows = {query, query + 1, 1};
  const Sweep sweep = attnscope::sweep(p, swept, work);
  TileRequest request;
  request.head = h;
  request.rows = swept.rows;
  auto numbers = std::make_shared<CellNumbers>();
  AttentionProblem products = p;
  products.scale = 1;
  numbers->score = cells(products, request, TileKind::Scaled, nullptr, work);
  numbers->scaled = cells(p, request, TileKind::Scaled, nullptr, work);
  numbers->masked = cells(p, request, TileKind::Masked, nullptr, work);
  numbers->weights = cells(p, request, TileKind::Weights, &sweep, work);
  numbers->bias = bias_of(p, h, query);
  CellRow row;
  row.is_computed = true;
  row.score = numbers->score.values();
  row.scaled = row.capped = numbers->scaled.values();
  if (p.soft_cap > 0) {
    for (const float x : row.scaled)
      numbers->capped.push_back(
          static_cast<float>(p.soft_cap * std::tanh(static_cast<double>(x) / p.soft_cap)));
    row.capped = numbers->capped;
  }
  row.bias = numbers->bias;
  row.masked = numbers->masked.values();
  row.softmax = row.own = row.weights = row.mixed = numbers->weights.values();
  row.measures = measure_row(result.document, result.trace, b, h, query,
                             {row.masked, row.weights, row.capped, row.bias});
  numbers->by_weight = sorted_by_weight(row);
  row.by_weight = numbers->by_weight;
  row.owner = std::move(numbers);
  return row;
}

}  // namespace attnscope
