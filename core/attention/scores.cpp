#include "core/attention/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/product.hpp"

namespace attnscope {

template <class T>
TensorOf<T> score(const Work& work, const TensorOf<T>& query, const TensorOf<T>& key) {
  const std::int64_t batch = query.shape()[0], heads = query.shape()[1], queries = query.shape()[2];
  const std::int64_t d_k = query.shape()[3], group = heads / key.shape()[1], keys = key.shape()[2];
  TensorOf<T> result(Shape{batch, heads, queries, keys});
  for_row_blocks(work, batch, heads, queries, product_ns(1, d_k, keys), [&](const RowBlock& at) {
    multiply_transposed<T>(query.matrix(at.b, at.h).middleRows(at.first, at.count),
                           key.matrix(at.b, at.h / group),
                           result.matrix(at.b, at.h).middleRows(at.first, at.count));
  });
  return result;
}

template <class T>
ScoreGradients<T> score_backward(const Work& work, const TensorOf<T>& query, const TensorOf<T>& key,
                                 const TensorOf<T>& d_scores, OpenHeads open) {
  const Shape &q = query.shape(), &k = key.shape();
  ScoreGradients<T> d{TensorOf<T>(q), TensorOf<T>(k)};
  const double head_ns = product_ns(q[2] * k[2], 1, 2 * q[3]);
  for_open_groups(work, open, q, k[1], head_ns, [&](std::int64_t b, std::int64_t h, std::int64_t kv) {
    multiply<T>(d_scores.matrix(b, h), key.matrix(b, kv), d.query.matrix(b, h));
    add_transposed_multiply<T>(d_scores.matrix(b, h), query.matrix(b, h), d.key.matrix(b, kv));
  });
  return d;
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
void scale_backward(const Work& work, double factor, OpenHeads open, TensorOf<T>& gradient) {
  const T by = static_cast<T>(factor);
  for_open_rows(work, open, gradient, 0.5, [by](std::int64_t, std::int64_t, std::int64_t, std::span<T> row) {
    for (T& cell : row) cell *= by;
  });
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
void cap_backward(const Work& work, const TensorOf<T>& capped, T c, OpenHeads open, TensorOf<T>& gradient) {
  for_open_rows(work, open, gradient, 1.0,
                [&](std::int64_t b, std::int64_t h, std::int64_t query, std::span<T> row) {
                  const T* g = capped.matrix(b, h).row(query).data();
                  for (std::size_t key = 0; key < row.size(); ++key) {
                    const T share = g[key] / c;
                    row[key] *= T{1} - share * share;
                  }
                });
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
void mask_backward(const Work& work, const MaskRun<T>& run, OpenHeads open, TensorOf<T>& gradient) {
  if (run.rule.after_softmax()) return;
  constexpr T nothing = -std::numeric_limits<T>::infinity();
  for_open_rows(
      work, open, gradient, 0.7, [&](std::int64_t b, std::int64_t h, std::int64_t query, std::span<T> row) {
        if (run.rule.adds_hidden_value() && run.masked.matrix(b, h).row(query).maxCoeff() != nothing) return;
        clear_hidden<T>(run.rule, run.additive, b, h, query, row);
      });
}

template <class T>
void mask_row(const MaskRule& rule, const MaskedRow<T>& row, std::span<std::uint8_t> seen,
              std::span<T> masked) {
  const T hidden = static_cast<T>(rule.hidden_value());
  rule.see<T>(row.b, row.h, row.query, row.additive, seen);
  std::copy(row.capped.begin(), row.capped.end(), masked.begin());
  for (std::size_t key = 0; key < row.bias.size(); ++key) masked[key] += row.bias[key];
  for (std::size_t key = 0; key < row.additive.size(); ++key) {
    // -inf is not added: the key is hidden below, or after the softmax.
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

template ScoreGradients<float> score_backward(const Work&, const TensorOf<float>&, const TensorOf<float>&,
                                              const TensorOf<float>&, OpenHeads);
template ScoreGradients<double> score_backward(const Work&, const TensorOf<double>&, const TensorOf<double>&,
                                               const TensorOf<double>&, OpenHeads);
template void scale_backward(const Work&, double, OpenHeads, TensorOf<float>&);
template void scale_backward(const Work&, double, OpenHeads, TensorOf<double>&);
template void cap_backward(const Work&, const TensorOf<float>&, float, OpenHeads, TensorOf<float>&);
template void cap_backward(const Work&, const TensorOf<double>&, double, OpenHeads, TensorOf<double>&);
template void mask_backward(const Work&, const MaskRun<float>&, OpenHeads, TensorOf<float>&);
template void mask_backward(const Work&, const MaskRun<double>&, OpenHeads, TensorOf<double>&);

}  // namespace attnscope
