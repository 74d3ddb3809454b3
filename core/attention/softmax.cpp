#include "core/attention/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/attention/row_math.hpp"
#include "core/attention/scores.hpp"

namespace attnscope {

template <class T>
RowSum softmax_row(SoftmaxKind kind, std::span<const T> masked, T temperature, std::span<T> weights, T sink) {
  using Row = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
  using ConstRow = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
  const auto count = static_cast<Eigen::Index>(masked.size());
  T largest = ConstRow(masked.data(), count).template maxCoeff<Eigen::PropagateNaN>();
  if (largest < sink) largest = sink;
  if (largest == -std::numeric_limits<T>::infinity()) {
    std::fill(weights.begin(), weights.end(), T{0});
    return {static_cast<double>(largest), 0.0, 0.0};
  }
  if (kind == SoftmaxKind::Naive) {
    for (std::size_t key = 0; key < masked.size(); ++key) weights[key] = std::exp(masked[key] / temperature);
    // Summed in T, so that it overflows as T does; not by Eigen, whose order of additions depends on
    // alignment.
    const T of_sink = std::exp(sink / temperature);
    const T sum = sum_of<T>(weights.size(), [&](std::size_t key) { return weights[key]; }) + of_sink;
    Row(weights.data(), count) /= sum;
    return {0.0, static_cast<double>(sum), static_cast<double>(of_sink / sum)};
  }
  for (std::size_t key = 0; key < masked.size(); ++key)
    weights[key] = exp_nonpositive((masked[key] - largest) / temperature);
  const auto of_sink = static_cast<double>(exp_nonpositive((sink - largest) / temperature));
  const double sum = sum_in_double<T>(weights) + of_sink;
  Row(weights.data(), count) /= static_cast<T>(sum);
  return {static_cast<double>(largest), sum, of_sink / sum};
}

namespace {

template <class T>
T sink_of(const TensorOf<T>* sinks, std::int64_t h) {
  return sinks != nullptr ? sinks->values()[static_cast<std::size_t>(h)] : no_sink<T>;
}

}  // namespace

template <class T>
TensorOf<T> softmax(const Work& work, SoftmaxKind kind, const TensorOf<T>& masked, T temperature,
                    const TensorOf<T>* sinks) {
  return by_rows(work, masked, 2.5,
                 [&](std::int64_t, std::int64_t h, std::int64_t, std::span<const T> in, std::span<T> out) {
                   softmax_row<T>(kind, in, temperature, out, sink_of(sinks, h));
                 });
}

template <class T>
void softmax_backward(const Work& work, const SoftmaxRun<T>& run, OpenHeads open, TensorOf<T>& gradient) {
  using Row = Eigen::Matrix<T, 1, Eigen::Dynamic>;
  for_open_rows(
      work, open, gradient, run.weights != nullptr ? 1.0 : 3.5,
      [&](std::int64_t b, std::int64_t h, std::int64_t query, std::span<T> values) {
        std::vector<T> again;
        const T* used = nullptr;
        if (run.weights != nullptr) {
          used = run.weights->matrix(b, h).row(query).data();
        } else {
          again.resize(values.size());
          const T* masked = run.masked.matrix(b, h).row(query).data();
          softmax_row<T>(run.kind, {masked, values.size()}, run.temperature, again, sink_of(run.sinks, h));
          used = again.data();
        }
        const auto count = static_cast<Eigen::Index>(values.size());
        Eigen::Map<Row> row(values.data(), count);
        const Eigen::Map<const Row> weights(used, count);
        const T mean = row.dot(weights);
        row = (weights.array() * (row.array() - mean) / run.temperature).eval();
      });
}

template <class T>
TensorOf<T> sinks_backward(const Work& work, const SoftmaxRun<T>& run, OpenHeads open,
                           const TensorOf<T>& gradient) {
  const Shape& shape = gradient.shape();
  const std::int64_t heads = shape[1], keys = shape[3];
  TensorOf<T> of_sinks(Shape{heads});
  const double head_ns = static_cast<double>(shape[0] * shape[2] * keys) * 3.5;
  work.for_each(heads, head_ns, [&](std::int64_t h) {
    if (!is_open(open, h)) return;
    std::vector<T> weights(static_cast<std::size_t>(keys));
    double sum = 0;
    for (std::int64_t row = 0; row < shape[0] * shape[2]; ++row) {
      const std::int64_t b = row / shape[2], query = row % shape[2];
      const std::span<const T> masked(run.masked.matrix(b, h).row(query).data(), weights.size());
      const std::span<const T> d(gradient.matrix(b, h).row(query).data(), weights.size());
      const RowSum made = softmax_row<T>(run.kind, masked, run.temperature, weights, sink_of(run.sinks, h));
      sum += made.sink * dot_in_double<T>(weights, d);
    }
    of_sinks.values()[static_cast<std::size_t>(h)] =
        static_cast<T>(-sum / static_cast<double>(run.temperature));
  });
  return of_sinks;
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
        std::ranges::copy(in, out.begin());
        clear_hidden<T>(rule, additive, b, h, query, out);
      });
}

template <class T>
void hide_weights_backward(const Work& work, const TensorPtrOf<T>& additive, const MaskRule& rule,
                           OpenHeads open, TensorOf<T>& gradient) {
  for_open_rows(work, open, gradient, 0.7,
                [&](std::int64_t b, std::int64_t h, std::int64_t query, std::span<T> row) {
                  clear_hidden<T>(rule, additive, b, h, query, row);
                });
}

template RowSum softmax_row(SoftmaxKind, std::span<const float>, float, std::span<float>, float);
template RowSum softmax_row(SoftmaxKind, std::span<const double>, double, std::span<double>, double);
template TensorOf<float> softmax(const Work&, SoftmaxKind, const TensorOf<float>&, float,
                                 const TensorOf<float>*);
template TensorOf<double> softmax(const Work&, SoftmaxKind, const TensorOf<double>&, double,
                                  const TensorOf<double>*);
template TensorOf<float> sinks_backward(const Work&, const SoftmaxRun<float>&, OpenHeads,
                                        const TensorOf<float>&);
template TensorOf<double> sinks_backward(const Work&, const SoftmaxRun<double>&, OpenHeads,
                                         const TensorOf<double>&);
template TensorOf<float> hide_weights(const Work&, const TensorOf<float>&, const TensorPtr&, const MaskRule&);
template TensorOf<double> hide_weights(const Work&, const TensorOf<double>&, const TensorPtrOf<double>&,
                                       const MaskRule&);
template TensorPtr with_empty_rows(EmptyRow, const Tensor&, const TensorPtr&);
template TensorPtrOf<double> with_empty_rows(EmptyRow, const TensorOf<double>&, const TensorPtrOf<double>&);

template void softmax_backward(const Work&, const SoftmaxRun<float>&, OpenHeads, TensorOf<float>&);
template void softmax_backward(const Work&, const SoftmaxRun<double>&, OpenHeads, TensorOf<double>&);
template void hide_weights_backward(const Work&, const TensorPtr&, const MaskRule&, OpenHeads,
                                    TensorOf<float>&);
template void hide_weights_backward(const Work&, const TensorPtrOf<double>&, const MaskRule&, OpenHeads,
                                    TensorOf<double>&);

}  // namespace attnscope
