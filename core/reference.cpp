#include "core/reference.hpp"

#include <vector>

#include "core/mask.hpp"
#include "core/stages/embed.hpp"
#include "core/stages/projections.hpp"
#include "core/stages/scores.hpp"
#include "core/stages/softmax.hpp"

namespace attnscope {

namespace {

using Reference = TensorOf<double>;

/// Rows [first, first + count) and columns [left, left + width) of a matrix of a float tensor, in double.
Reference cut(const ConstMatrixMap<float>& matrix, std::int64_t first, std::int64_t count, std::int64_t left,
              std::int64_t width) {
  Reference part(Shape{1, 1, count, width});
  part.matrix() = matrix.block(first, left, count, width).cast<double>();
  return part;
}

/// One head of a projection of rows of X: [1][1][rows][d].
Reference project_head(const Work& work, const Reference& x, const TensorPtr& w, const TensorPtr& bias,
                       std::int64_t h, std::int64_t d) {
  Reference columns(Shape{w->shape()[0], d});
  columns.matrix() = w->matrix().middleCols(h * d, d).cast<double>();
  Reference offset(Shape{d});
  if (bias) offset.matrix() = bias->matrix().middleCols(h * d, d).cast<double>();
  return project(work, x, columns, bias ? &offset : nullptr, 1);
}

struct QueryAndKeys {
  Reference query;  // [1][1][1][d_k]
  Reference keys;   // [1][1][keys][d_k]
};

QueryAndKeys query_and_keys(const Work& work, const Document& document, std::int64_t b, std::int64_t h,
                            std::int64_t query) {
  const Given& given = document.input.given;
  if (given) {
    const Shape& k = given.key->shape();
    const std::int64_t group = given.query->shape()[1] / k[1];
    return {cut(given.query->matrix(b, h), query, 1, 0, k[3]),
            cut(given.key->matrix(b, h / group), 0, k[2], 0, k[3])};
  }
  Document one = document;  // only this sequence, padded as it is in the batch
  one.input.padded_length = static_cast<int>(padded_tokens(document.input));
  one.input.sequences = {document.input.sequences[static_cast<std::size_t>(b)]};
  one.masking = {};  // an additive mask has the shape of the whole batch
  const Reference x = add_positions<double>(one, embed<double>(one));
  Reference row(Shape{1, 1, x.shape()[2]});
  row.matrix() = x.matrix().row(query);
  const std::int64_t d_k = document.d_model / document.heads;
  const Weights& weights = document.weights;
  return {project_head(work, row, weights.w_query, weights.b_query, h, d_k),
          project_head(work, x, weights.w_key, weights.b_key, h, d_k)};
}

}  // namespace

CellReference reference_cell(const Document& document, std::int64_t b, std::int64_t h, std::int64_t query,
                             std::int64_t key) {
  ThreadPool caller_only(1);
  const Work work{caller_only, {}};
  const QueryAndKeys from = query_and_keys(work, document, b, h, query);
  const Reference scores = score(work, from.query, from.keys);
  const Reference scaled = scale(work, scores, scale_factor(document.scaling, from.query.shape()[3]));
  const double c = static_cast<double>(document.soft_cap);
  const Reference capped = c > 0 ? cap(work, scaled, c) : scaled;
  std::vector<double> masked(scaled.values().size()), weights(masked.size());
  mask_row<double>(MaskRule(document), b, h, query, capped.values(), masked);
  const RowSum sums = softmax_row<double>(masked, static_cast<double>(document.temperature), weights);
  const auto at = static_cast<std::size_t>(key);
  return {.score = scores.values()[at],
          .scaled = scaled.values()[at],
          .capped = capped.values()[at],
          .masked = masked[at],
          .weight = weights[at],
          .row_max = sums.largest,
          .row_sum = sums.sum};
}

}  // namespace attnscope
