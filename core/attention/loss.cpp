#include "core/attention/loss.hpp"

#include <cstddef>

namespace attnscope {

namespace {
template <class T>
TensorOf<T> target_of(const Shape& shape, const TensorPtrOf<T>& given, const TensorPtrOf<T>& x) {
  if (given) return *given;
  TensorOf<T> target(shape);
  if (!x) return target;
  for (std::int64_t b = 0; b < shape[0]; ++b) target.matrix(b) = x->matrix(b).bottomRows(shape[1]);
  return target;
}
}  // namespace

template <class T>
LossRun<T> differentiate_loss(const Loss& loss, const TensorOf<T>& output, const TensorPtrOf<T>& given,
                              const TensorPtrOf<T>& x) {
  const auto count = static_cast<std::size_t>(output.size());
  LossRun<T> run{0, TensorOf<T>(output.shape())};
  const auto y = output.values();
  const auto d = run.d_output.values();
  if (loss.kind == Loss::Kind::Sum) {
    for (std::size_t i = 0; i < count; ++i) {
      d[i] = given ? given->values()[i] : T{1};
      run.loss += static_cast<double>(y[i]) * static_cast<double>(d[i]);
    }
    return run;
  }
  const TensorOf<T> target = target_of(output.shape(), given, x);
  for (std::size_t i = 0; i < count; ++i) {
    const T off = y[i] - target.values()[i];
    d[i] = T{2} * off / static_cast<T>(count);
    run.loss += static_cast<double>(off) * static_cast<double>(off) / static_cast<double>(count);
  }
  return run;
}

template LossRun<float> differentiate_loss(const Loss&, const TensorOf<float>&, const TensorPtr&,
                                           const TensorPtr&);
template LossRun<double> differentiate_loss(const Loss&, const TensorOf<double>&, const TensorPtrOf<double>&,
                                            const TensorPtrOf<double>&);

}  // namespace attnscope
