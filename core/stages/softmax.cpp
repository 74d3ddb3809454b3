#include "core/stages/softmax.hpp"

#include <algorithm>
#include <limits>

#include "core/stages/blocks.hpp"
#include "core/stages/row_math.hpp"

namespace attnscope {

template <class T>
RowSum softmax_row(std::span<const T> masked, T temperature, std::span<T> weights) {
  using Row = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
  using ConstRow = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
  const auto count = static_cast<Eigen::Index>(masked.size());
  const T largest = ConstRow(masked.data(), count).template maxCoeff<Eigen::PropagateNaN>();
  if (largest == -std::numeric_limits<T>::infinity()) {
    std::fill(weights.begin(), weights.end(), T{0});
    return {static_cast<double>(largest), 0.0};
  }
  for (std::size_t key = 0; key < masked.size(); ++key)
    weights[key] = exp_nonpositive((masked[key] - largest) / temperature);
  const double sum = sum_in_double<T>(weights);
  Row(weights.data(), count) /= static_cast<T>(sum);
  return {static_cast<double>(largest), sum};
}

template <class T>
TensorOf<T> softmax(const Work& work, const TensorOf<T>& masked, T temperature) {
  const Shape& shape = masked.shape();
  const std::int64_t heads = shape[1], queries = shape[2], keys = shape[3];
  TensorOf<T> result(shape);
  for_row_blocks(work, shape[0], heads, queries, static_cast<double>(keys) * 2.5, [&](const RowBlock& at) {
    for (std::int64_t query = at.first; query < at.first + at.count; ++query) {
      const auto start = static_cast<std::size_t>(((at.b * heads + at.h) * queries + query) * keys);
      const auto length = static_cast<std::size_t>(keys);
      softmax_row<T>(masked.values().subspan(start, length), temperature,
                     result.values().subspan(start, length));
    }
  });
  return result;
}

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

template RowSum softmax_row(std::span<const float>, float, std::span<float>);
template RowSum softmax_row(std::span<const double>, double, std::span<double>);
template TensorOf<float> softmax(const Work&, const TensorOf<float>&, float);
template TensorOf<double> softmax(const Work&, const TensorOf<double>&, double);
template TensorOf<float> mix(const Work&, const TensorOf<float>&, const TensorOf<float>&);
template TensorOf<double> mix(const Work&, const TensorOf<double>&, const TensorOf<double>&);

}  // namespace attnscope
