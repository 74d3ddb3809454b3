#include "core/stages/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/random.hpp"
#include "core/stages/blocks.hpp"
#include "core/stages/row_math.hpp"

namespace attnscope {

template <class T>
RowSum softmax_row(SoftmaxKind kind, std::span<const T> masked, T temperature, std::span<T> weights) {
  using Row = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
  using ConstRow = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
  const auto count = static_cast<Eigen::Index>(masked.size());
  const T largest = ConstRow(masked.data(), count).template maxCoeff<Eigen::PropagateNaN>();
  if (largest == -std::numeric_limits<T>::infinity()) {
    std::fill(weights.begin(), weights.end(), T{0});
    return {static_cast<double>(largest), 0.0};
  }
  if (kind == SoftmaxKind::Naive) {
    for (std::size_t key = 0; key < masked.size(); ++key) weights[key] = std::exp(masked[key] / temperature);
    const T sum = Row(weights.data(), count).sum();  // in T, so that it overflows as T does
    Row(weights.data(), count) /= sum;
    return {0.0, static_cast<double>(sum)};
  }
  for (std::size_t key = 0; key < masked.size(); ++key)
    weights[key] = exp_nonpositive((masked[key] - largest) / temperature);
  const double sum = sum_in_double<T>(weights);
  Row(weights.data(), count) /= static_cast<T>(sum);
  return {static_cast<double>(largest), sum};
}

namespace {

/// Calls fn(b, h, query, in, out) for every row of the tensor and of the result, which has its shape.
template <class T, class Fn>
TensorOf<T> by_rows(const Work& work, const TensorOf<T>& tensor, double cell_ns, Fn&& fn) {
  const Shape& shape = tensor.shape();
  const std::int64_t heads = shape[1], queries = shape[2], keys = shape[3];
  TensorOf<T> result(shape);
  for_row_blocks(
      work, shape[0], heads, queries, static_cast<double>(keys) * cell_ns, [&](const RowBlock& at) {
        for (std::int64_t query = at.first; query < at.first + at.count; ++query) {
          const auto start = static_cast<std::size_t>(((at.b * heads + at.h) * queries + query) * keys);
          const auto length = static_cast<std::size_t>(keys);
          fn(at.b, at.h, query, tensor.values().subspan(start, length),
             result.values().subspan(start, length));
        }
      });
  return result;
}

}  // namespace

template <class T>
TensorOf<T> softmax(const Work& work, SoftmaxKind kind, const TensorOf<T>& masked, T temperature) {
  return by_rows(work, masked, 2.5,
                 [&](std::int64_t, std::int64_t, std::int64_t, std::span<const T> in, std::span<T> out) {
                   softmax_row<T>(kind, in, temperature, out);
                 });
}

template <class T>
TensorPtrOf<T> with_empty_rows(EmptyRow how, const TensorOf<T>& masked, const TensorPtrOf<T>& weights) {
  if (how == EmptyRow::Zeros) return weights;
  const std::int64_t keys = masked.shape()[3], rows = masked.size() / keys;
  const auto is_empty = [&](std::int64_t row) {
    const auto cells =
        masked.values().subspan(static_cast<std::size_t>(row * keys), static_cast<std::size_t>(keys));
    return std::all_of(cells.begin(), cells.end(),
                       [](T x) { return x == -std::numeric_limits<T>::infinity(); });
  };
  const T each = how == EmptyRow::Uniform ? T{1} / static_cast<T>(keys) : std::numeric_limits<T>::quiet_NaN();
  std::shared_ptr<TensorOf<T>> made;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (!is_empty(row)) continue;
    if (!made) made = std::make_shared<TensorOf<T>>(*weights);
    std::fill_n(made->data() + row * keys, keys, each);
  }
  return made ? TensorPtrOf<T>(made) : weights;
}

template <class T>
TensorOf<T> hide_weights(const Work& work, const TensorOf<T>& weights, const TensorPtrOf<T>& additive,
                         const MaskRule& rule) {
  return by_rows(
      work, weights, 0.7,
      [&](std::int64_t b, std::int64_t h, std::int64_t query, std::span<const T> in, std::span<T> out) {
        std::vector<std::uint8_t> seen(in.size());
        rule.see<T>(b, h, query, MaskRule::additive_row<T>(additive, b, h, query), seen);
        for (std::size_t key = 0; key < in.size(); ++key) out[key] = seen[key] != 0 ? in[key] : T{0};
      });
}

template <class T>
TensorOf<T> linear_features(const Work& work, const TensorOf<T>& x, const Rotation<T>* rotation) {
  TensorOf<T> features(x.shape());
  std::transform(x.values().begin(), x.values().end(), features.values().begin(), linear_feature<T>);
  return rotation == nullptr ? features : rotate(work, features, *rotation);
}

template <class T>
TensorOf<T> linear_weights(const Work& work, const LinearOperands<T>& of, const TensorPtrOf<T>& additive,
                           const MaskRule& rule) {
  const Shape &qs = of.query.shape(), &ks = of.key.shape();
  const std::int64_t heads = qs[1], group = heads / ks[1], d_k = qs[3], keys = ks[2];
  const TensorOf<T> queries = linear_features<T>(work, of.query, nullptr);
  const TensorOf<T> key_features = linear_features<T>(work, of.key, nullptr);
  const bool turns = of.query_rotation != nullptr;
  TensorOf<T> turned_queries, turned_keys;  // of the numerator
  if (turns) {
    turned_queries = rotate(work, queries, *of.query_rotation);
    turned_keys = rotate(work, key_features, *of.key_rotation);
  }
  TensorOf<T> result(Shape{qs[0], heads, qs[2], keys});
  for_row_blocks(work, qs[0], heads, qs[2], product_ns(turns ? 2 : 1, d_k, keys), [&](const RowBlock& at) {
    using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    auto rows = result.matrix(at.b, at.h).middleRows(at.first, at.count);
    rows.noalias() = queries.matrix(at.b, at.h).middleRows(at.first, at.count) *
                     key_features.matrix(at.b, at.h / group).transpose();
    Rows turned;
    if (turns)
      turned.noalias() = turned_queries.matrix(at.b, at.h).middleRows(at.first, at.count) *
                         turned_keys.matrix(at.b, at.h / group).transpose();
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(keys));
    for (std::int64_t i = 0; i < at.count; ++i) {
      const std::int64_t query = at.first + i;
      rule.see<T>(at.b, at.h, query, MaskRule::additive_row<T>(additive, at.b, at.h, query), seen);
      const std::span<T> row(rows.row(i).data(), seen.size());
      for (std::size_t j = 0; j < seen.size(); ++j) row[j] = seen[j] != 0 ? row[j] : T{0};
      const double sum = sum_in_double<T>(row);
      if (sum == 0) continue;  // no key: zeros
      const T* above = turns ? turned.row(i).data() : row.data();
      for (std::size_t j = 0; j < seen.size(); ++j)
        row[j] = seen[j] != 0 ? static_cast<T>(static_cast<double>(above[j]) / sum) : T{0};
    }
  });
  return result;
}

bool keeps(const Dropout& dropout, std::int64_t index) {
  constexpr double steps = 9007199254740992.0;  // 2^53
  const std::uint64_t bits =
      random_bits(dropout.seed, stream_of("dropout of weights"), static_cast<std::uint64_t>(index));
  return static_cast<double>(bits >> 11) / steps >= static_cast<double>(dropout.rate);
}

template <class T>
TensorOf<T> drop(const Work& work, const TensorOf<T>& weights, const Dropout& dropout) {
  const T grown = static_cast<T>(1 / (1 - static_cast<double>(dropout.rate)));
  const T* first = weights.data();
  return by_rows(work, weights, 8.0,
                 [&](std::int64_t, std::int64_t, std::int64_t, std::span<const T> in, std::span<T> out) {
                   const std::int64_t start = in.data() - first;
                   for (std::size_t key = 0; key < in.size(); ++key)
                     out[key] =
                         keeps(dropout, start + static_cast<std::int64_t>(key)) ? in[key] * grown : T{0};
                 });
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

template RowSum softmax_row(SoftmaxKind, std::span<const float>, float, std::span<float>);
template RowSum softmax_row(SoftmaxKind, std::span<const double>, double, std::span<double>);
template TensorOf<float> softmax(const Work&, SoftmaxKind, const TensorOf<float>&, float);
template TensorOf<double> softmax(const Work&, SoftmaxKind, const TensorOf<double>&, double);
template TensorOf<float> hide_weights(const Work&, const TensorOf<float>&, const TensorPtr&, const MaskRule&);
template TensorOf<double> hide_weights(const Work&, const TensorOf<double>&, const TensorPtrOf<double>&,
                                       const MaskRule&);
template TensorPtr with_empty_rows(EmptyRow, const Tensor&, const TensorPtr&);
template TensorPtrOf<double> with_empty_rows(EmptyRow, const TensorOf<double>&, const TensorPtrOf<double>&);
template TensorOf<float> linear_features(const Work&, const TensorOf<float>&, const Rotation<float>*);
template TensorOf<double> linear_features(const Work&, const TensorOf<double>&, const Rotation<double>*);
template TensorOf<float> linear_weights(const Work&, const LinearOperands<float>&, const TensorPtr&,
                                        const MaskRule&);
template TensorOf<double> linear_weights(const Work&, const LinearOperands<double>&,
                                         const TensorPtrOf<double>&, const MaskRule&);
template TensorOf<float> drop(const Work&, const TensorOf<float>&, const Dropout&);
template TensorOf<double> drop(const Work&, const TensorOf<double>&, const Dropout&);
template TensorOf<float> mix(const Work&, const TensorOf<float>&, const TensorOf<float>&);
template TensorOf<double> mix(const Work&, const TensorOf<double>&, const TensorOf<double>&);

}  // namespace attnscope
