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
  const std::int64_t batch = weights.shape()[0], heads = weights.shape()[1], queries = weights.shape()[2];
  const std::int64_t keys = weights.shape()[3], kv_heads = value.shape()[1], d_v = value.shape()[3];
  MixGradients<T> d{TensorOf<T>(weights.shape()), TensorOf<T>(value.shape())};
  // The query heads of a group add to the same value gradients, so one thread takes the whole group.
  const std::int64_t group = heads / kv_heads;
  const double group_ns = product_ns(queries * keys, 1, 2 * d_v) * static_cast<double>(group);
  work.for_each(batch * kv_heads, group_ns, [&](std::int64_t i) {
    const std::int64_t b = i / kv_heads, kv = i % kv_heads;
    for (std::int64_t h = kv * group; h < (kv + 1) * group; ++h) {
      add_transposed_multiply<T>(weights.matrix(b, h), d_mixed.matrix(b, h), d.value.matrix(b, kv));
      multiply_transposed<T>(d_mixed.matrix(b, h), value.matrix(b, kv), d.weights.matrix(b, h));
    }
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
