#include "core/attention/mix.hpp"

#include "core/attention/blocks.hpp"
#include "core/base/product.hpp"

namespace attnscope {

template <class T>
TensorOf<T> mix(const Work& work, const TensorOf<T>& weights, const TensorOf<T>& value) {
  const std::int64_t batch = weights.shape()[0], heads = weights.shape()[1], queries = weights.shape()[2];
  const std::int64_t keys = weights.shape()[3], group = heads / value.shape()[1], d_v = value.shape()[3];
  TensorOf<T> result(Shape{batch, heads, queries, d_v});
  for_row_blocks(work, batch, heads, queries, product_ns(1, keys, d_v), [&](const RowBlock& at) {
    multiply<T>(weights.matrix(at.b, at.h).middleRows(at.first, at.count), value.matrix(at.b, at.h / group),
                result.matrix(at.b, at.h).middleRows(at.first, at.count));
  });
  return result;
}

template <class T>
MixGradients<T> mix_backward(const Work& work, const TensorOf<T>& weights, const TensorOf<T>& value,
                             const TensorOf<T>& d_mixed) {
  const Shape &w = weights.shape(), &v = value.shape();
  MixGradients<T> d{TensorOf<T>(w), TensorOf<T>(v)};
  const double head_ns = product_ns(w[2] * w[3], 1, 2 * v[3]);
  for_open_groups(work, {}, w, v[1], head_ns, [&](std::int64_t b, std::int64_t h, std::int64_t kv) {
    add_transposed_multiply<T>(weights.matrix(b, h), d_mixed.matrix(b, h), d.value.matrix(b, kv));
    multiply_transposed<T>(d_mixed.matrix(b, h), value.matrix(b, kv), d.weights.matrix(b, h));
  });
  return d;
}

template TensorOf<float> mix(const Work&, const TensorOf<float>&, const TensorOf<float>&);
template TensorOf<double> mix(const Work&, const TensorOf<double>&, const TensorOf<double>&);

template MixGradients<float> mix_backward(const Work&, const TensorOf<float>&, const TensorOf<float>&,
                                          const TensorOf<float>&);
template MixGradients<double> mix_backward(const Work&, const TensorOf<double>&, const TensorOf<double>&,
                                           const TensorOf<double>&);

}  // namespace attnscope
