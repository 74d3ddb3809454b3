#include "core/stages/scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
TensorOf<T> mask(const Work& work, const TensorOf<T>& capped, const MaskRule& rule) {
  const Shape& shape = capped.shape();
  const std::int64_t heads = shape[1], queries = shape[2], keys = shape[3];
  TensorOf<T> result(shape);
  for_row_blocks(work, shape[0], heads, queries, static_cast<double>(keys) * 0.5, [&](const RowBlock& at) {
    for (std::int64_t query = at.first; query < at.first + at.count; ++query) {
      const auto start = static_cast<std::size_t>(((at.b * heads + at.h) * queries + query) * keys);
      const auto length = static_cast<std::size_t>(keys);
      mask_row<T>(rule, at.b, at.h, query, capped.values().subspan(start, length),
                  result.values().subspan(start, length));
    }
  });
  return result;
}

template <class T>
void mask_row(const MaskRule& rule, std::int64_t b, std::int64_t h, std::int64_t query,
              std::span<const T> capped, std::span<T> masked) {
  constexpr T hidden = -std::numeric_limits<T>::infinity();
  const auto end = static_cast<std::size_t>(rule.visible_end(b, query));
  const std::span<const float> additive = rule.additive_row(b, h, query);
  if (additive.empty()) {
    std::copy_n(capped.begin(), end, masked.begin());
  } else {
    for (std::size_t key = 0; key < end; ++key) {
      const T bias = static_cast<T>(additive[key]);
      masked[key] =
          bias == hidden ? hidden : capped[key] + bias;  // not by adding: NaN and +inf must go as well
    }
  }
  std::fill(masked.begin() + static_cast<std::ptrdiff_t>(end), masked.end(), hidden);
}

template TensorOf<float> score(const Work&, const TensorOf<float>&, const TensorOf<float>&);
template TensorOf<double> score(const Work&, const TensorOf<double>&, const TensorOf<double>&);
template TensorOf<float> scale(const Work&, const TensorOf<float>&, double);
template TensorOf<double> scale(const Work&, const TensorOf<double>&, double);
template TensorOf<float> cap(const Work&, const TensorOf<float>&, float);
template TensorOf<double> cap(const Work&, const TensorOf<double>&, double);
template TensorOf<float> mask(const Work&, const TensorOf<float>&, const MaskRule&);
template TensorOf<double> mask(const Work&, const TensorOf<double>&, const MaskRule&);
template void mask_row(const MaskRule&, std::int64_t, std::int64_t, std::int64_t, std::span<const float>,
                       std::span<float>);
template void mask_row(const MaskRule&, std::int64_t, std::int64_t, std::int64_t, std::span<const double>,
                       std::span<double>);

}  // namespace attnscope
