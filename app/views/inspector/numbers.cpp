#include "app/views/inspector/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/state/regions/inspector_state.hpp"

namespace attnscope {

std::span<const float> vector_of(const LayerResult& result, Stage stage, std::int64_t b, std::int64_t h,
                                 std::int64_t row) {
  const TensorPtr& tensor = result.trace[stage];
  if (!tensor) return {};
  const Shape& shape = tensor->shape();
  const std::int64_t rows = shape[shape.rank() - 2], width = shape[shape.rank() - 1];
  if (row < 0 || row >= rows) return {};
  const std::int64_t entry = shape[0] == 1 ? 0 : b;  // a batch of 1 serves every sequence
  const std::int64_t outer = shape.rank() == 4 ? entry * shape[1] + h : entry;
  return tensor->values().subspan(static_cast<std::size_t>((outer * rows + row) * width),
                                  static_cast<std::size_t>(width));
}

double Products::sum(std::int64_t first, std::int64_t last) const {
  double sum = 0;
  for (std::int64_t i = first; i < last; ++i)
    sum += product[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
  return sum;
}

std::vector<std::int64_t> ordered(std::span<const double> values, ProductOrder how) {
  std::vector<std::int64_t> order(values.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (how == ProductOrder::Dimension) return order;
  const auto rank = [&](std::int64_t d) -> double {
    const double value = values[static_cast<std::size_t>(d)];
    if (std::isnan(value)) return -INFINITY;
    return how == ProductOrder::Size ? std::abs(value) : value;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return rank(a) > rank(b); });
  return order;
}

OperandNames operand_names(const LayerResult& r) {
  if (r.trace[Stage::RotateQuery] != r.trace[Stage::NormQuery]) return {"q′", "k′", "q′ × k′", "cos(q′, k′)"};
  if (r.trace[Stage::NormQuery] != r.trace[Stage::Query]) return {"qₙ", "kₙ", "qₙ × kₙ", "cos(qₙ, kₙ)"};
  return {"q", "k", "q × k", "cos(q, k)"};
}

Products products_of(const LayerResult& result, const CellPlace& at, ProductOrder how) {
  Products p{vector_of(result, Stage::RotateQuery, at.b, at.h, at.query),
             vector_of(result, Stage::RotateKey, at.b, at.kv, at.key),
             {},
             {}};
  p.product.resize(p.q.size());
  for (std::size_t d = 0; d < p.q.size(); ++d)
    p.product[d] = static_cast<double>(p.q[d]) * static_cast<double>(p.k[d]);
  p.order = ordered(p.product, how);
  return p;
}

std::vector<RowKey> keys_of_row(const LayerResult& r, const MaskRule& rule, const CellPlace& at,
                                bool by_weight) {
  return keys_of_row(row_of_planes(r, at.b, at.h, at.query), rule, at, by_weight);
}

std::vector<RowKey> keys_of_row(const CellRow& cells, const MaskRule& rule, const CellPlace& at,
                                bool by_weight) {
  const std::size_t keys = cells.weights.size();
  std::vector<std::uint8_t> seen(keys);
  rule.see(at.b, at.h, at.query, seen);
  std::vector<std::int32_t> order;
  std::span<const std::int32_t> sorted = cells.by_weight;
  if (!by_weight || sorted.empty()) {
    order.resize(keys);
    std::iota(order.begin(), order.end(), 0);
    if (by_weight)
      std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return weight_rank(cells, a) > weight_rank(cells, b);
      });
    sorted = order;
  }
  std::vector<RowKey> row(keys);
  for (std::size_t i = 0; i < keys; ++i) {
    const auto j = static_cast<std::size_t>(sorted[i]);
    const auto weight = static_cast<double>(cells.weights[j]);
    row[i] = {sorted[i], static_cast<double>(cells.score[j]), weight, 0, seen[j] == 0 && weight == 0};
  }
  double sum = 0;
  for (RowKey& key : row) key.cumulative = sum += key.weight;
  return row;
}

double norm(std::span<const float> values) {
  double squares = 0;
  for (const float v : values) squares += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(squares);
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double dot = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    dot += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return dot / (norm(a) * norm(b));
}

}  // namespace attnscope
