#include "core/document/precision.hpp"

#include <limits>
#include <utility>

namespace attnscope {

namespace {
template <class Stored>
TensorPtr rounded(const Tensor& tensor) {
  auto result = std::make_shared<Tensor>(tensor.shape());
  const float* in = tensor.data();
  for (float& value : result->values()) value = static_cast<float>(static_cast<Stored>(*in++));
  return result;
}
}  // namespace

TensorPtr stored(Precision precision, TensorPtr tensor) {
  if (!tensor) return tensor;
  switch (precision) {
    case Precision::Float32: return tensor;
    case Precision::BFloat16: return rounded<Eigen::bfloat16>(*tensor);
    case Precision::Float16: return rounded<Eigen::half>(*tensor);
  }
  return tensor;
}

TensorPtrOf<double> stored(Precision, TensorPtrOf<double> tensor) { return tensor; }

double largest_finite(Precision precision) {
  switch (precision) {
    case Precision::Float32: break;
    case Precision::BFloat16: return static_cast<double>(Eigen::NumTraits<Eigen::bfloat16>::highest());
    case Precision::Float16: return static_cast<double>(Eigen::NumTraits<Eigen::half>::highest());
  }
  return static_cast<double>(std::numeric_limits<float>::max());
}

int bytes_of(Precision precision) { return precision == Precision::Float32 ? 4 : 2; }

}  // namespace attnscope
