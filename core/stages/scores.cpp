#include "core/stages/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/stages/blocks.hpp"

namespace attnscope {

template <class T>
TensorOf<T> score(const Work& work, const TensorOf<T>& query, const TensorOf<T>& key) {
  const std::int64_t batch = query.shape()[0], heads = query.shape()[1], queries = query.shape()[2];
  const std::int64_t d_k = query.shape()[3], group = heads / key.shape()[1], keys = key.shape()[2];
  TensorOf<T> result(Shape{batch, heads, queries, keys});
  for_row_blocks(work, batch, heads, queries, product_ns(1, d_k, keys), [&](const RowBlock& at) {
    result.matrix(at.b, at.h).middleRows(at.first, at.count).noalias() =
        query.matrix(at.b, at.h).middleRows(at.first, at.count) * key.matrix(at.b, at.h / group).transpose();
  });
  return result;
}

template <class T>
TensorOf<T> scale(const Work& work, const TensorOf<T>& scores, double factor) {
  const Shape& shape = scores.shape();
  const T by = static_cast<T>(factor);
  TensorOf<T> result(shape);
  for_row_blocks(work, shape[0], shape[1], shape[2], static_cast<double>(shape[3]) * 0.5,
                 [&](const RowBlock& at) {
                   result.matrix(at.b, at.h).middleRows(at.first, at.count) =
                       scores.matrix(at.b, at.h).middleRows(at.first, at.count) * by;
                 });
  return result;
}

template <class T>
TensorOf<T> cap(const Work& work, const TensorOf<T>& scaled, T c) {
  const Shape& shape = scaled.shape();
  TensorOf<T> result(shape);
  // 15 ns a cell: the C library's tanh, whose error is below one unit in the last place.
  for_row_blocks(work, shape[0], shape[1], shape[2], static_cast<double>(shape[3]) * 15,
                 [&](const RowBlock& at) {
                   result.matrix(at.b, at.h).middleRows(at.first, at.count) =
                       scaled.matrix(at.b, at.h).middleRows(at.first, at.count).unaryExpr([c](T x) {
                         return c * std::tanh(x / c);
                       });
                 });
  return result;
}

template <class T>
TensorOf<T> mask(const Work& work, const TensorOf<T>& capped, const TensorOf<T>* bias,
                 const TensorPtrOf<T>& additive, const MaskRule& rule) {
  const Shape& shape = capped.shape();
  const std::int64_t heads = shape[1], queries = shape[2], keys = shape[3];
  const auto length = static_cast<std::size_t>(keys);
  TensorOf<T> result(shape);
  const auto row_of = [&](const TensorOf<T>& tensor, std::int64_t b, std::int64_t h, std::int64_t query) {
    const std::int64_t block = tensor.shape()[0] == 1 ? 0 : b;
    return tensor.values().subspan(static_cast<std::size_t>(((block * heads + h) * queries + query) * keys),
                                   length);
  };
  for_row_blocks(work, shape[0], heads, queries, static_cast<double>(keys) * 0.7, [&](const RowBlock& at) {
    std::vector<std::uint8_t> seen(length);
    for (std::int64_t query = at.first; query < at.first + at.count; ++query) {
      const auto start = static_cast<std::size_t>(((at.b * heads + at.h) * queries + query) * keys);
      const MaskedRow<T> row{at.b,
                             at.h,
                             query,
                             capped.values().subspan(start, length),
                             bias != nullptr ? row_of(*bias, at.b, at.h, query) : std::span<const T>{},
                             MaskRule::additive_row<T>(additive, at.b, at.h, query)};
      mask_row<T>(rule, row, seen, result.values().subspan(start, length));
    }
  });
  return result;
}

template <class T>
void mask_row(const MaskRule& rule, const MaskedRow<T>& row, std::span<std::uint8_t> seen,
              std::span<T> masked) {
  const T hidden = static_cast<T>(rule.hidden_value());
  rule.see<T>(row.b, row.h, row.query, row.additive, seen);
  std::copy(row.capped.begin(), row.capped.end(), masked.begin());
  for (std::size_t key = 0; key < row.bias.size(); ++key) masked[key] += row.bias[key];
  for (std::size_t key = 0; key < row.additive.size(); ++key) {
    // Hidden keys are added to nothing when they are to be hidden after the softmax only.
    if (row.additive[key] != -std::numeric_limits<T>::infinity()) masked[key] += row.additive[key];
  }
  if (rule.after_softmax()) return;
  if (rule.adds_hidden_value()) {
    for (std::size_t key = 0; key < masked.size(); ++key) masked[key] += seen[key] != 0 ? T{0} : hidden;
    return;
  }
  for (std::size_t key = 0; key < masked.size(); ++key) masked[key] = seen[key] != 0 ? masked[key] : hidden;
}

template TensorOf<float> score(const Work&, const TensorOf<float>&, const TensorOf<float>&);
template TensorOf<double> score(const Work&, const TensorOf<double>&, const TensorOf<double>&);
template TensorOf<float> scale(const Work&, const TensorOf<float>&, double);
template TensorOf<double> scale(const Work&, const TensorOf<double>&, double);
template TensorOf<float> cap(const Work&, const TensorOf<float>&, float);
template TensorOf<double> cap(const Work&, const TensorOf<double>&, double);
template TensorOf<float> mask(const Work&, const TensorOf<float>&, const TensorOf<float>*, const TensorPtr&,
                              const MaskRule&);
template TensorOf<double> mask(const Work&, const TensorOf<double>&, const TensorOf<double>*,
                               const TensorPtrOf<double>&, const MaskRule&);
template void mask_row(const MaskRule&, const MaskedRow<float>&, std::span<std::uint8_t>, std::span<float>);
template void mask_row(const MaskRule&, const MaskedRow<double>&, std::span<std::uint8_t>, std::span<double>);

}  // namespace attnscope
