#include "core/stages/mix.hpp"

#include "core/stages/blocks.hpp"

namespace attnscope {

template <class T>
TensorOf<T> mix(const Work& work, const TensorOf<T>& weights, const TensorOf<T>& value) {
  const std::int64_t batch = weights.shape()[0], heads = weights.shape()[1], queries = weights.shape()[2];
  const std::int64_t keys = weights.shape()[3], group = heads / value.shape()[1], d_v = value.shape()[3];
  TensorOf<T> result(Shape{batch, heads, queries, d_v});
  for_row_blocks(work, batch, heads, queries, product_ns(1, keys, d_v), [&](const RowBlock& at) {
    result.matrix(at.b, at.h).middleRows(at.first, at.count).noalias() =
        weights.matrix(at.b, at.h).middleRows(at.first, at.count) * value.matrix(at.b, at.h / group);
  });
  return result;
}

template TensorOf<float> mix(const Work&, const TensorOf<float>&, const TensorOf<float>&);
template TensorOf<double> mix(const Work&, const TensorOf<double>&, const TensorOf<double>&);

}  // namespace attnscope
