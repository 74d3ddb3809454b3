#include "core/weights/initialise.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/orthonormal.hpp"
#include "core/base/random.hpp"

namespace attnscope {
namespace {

Tensor gaussian_block(const Shape& shape, std::uint64_t seed, std::string_view stream, double sigma) {
  Tensor tensor(shape);
  fill_normal(tensor.values(), seed, stream_of(stream), sigma);
  return tensor;
}

/// Uniform in ±1/√fan_in.
Tensor uniform_block(const Shape& shape, std::uint64_t seed, std::string_view stream, std::int64_t fan_in) {
  Tensor tensor(shape);
  const std::uint64_t number = stream_of(stream);
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  std::uint64_t at = 0;
  for (float& value : tensor.values()) {
    const double unit = (static_cast<double>(random_bits(seed, number, at++) >> 40) + 0.5) / 16777216.0;
    value = static_cast<float>((2 * unit - 1) * bound);
  }
  return tensor;
}

Tensor identity(const Shape& shape) {
  Tensor tensor(shape);
  tensor.matrix().diagonal().setOnes();
  return tensor;
}

Tensor orthogonal(const Shape& shape, std::uint64_t seed, std::string_view stream) {
  const std::int64_t large = std::max(shape[0], shape[1]), small = std::min(shape[0], shape[1]);
  const std::uint64_t number = stream_of(stream);
  Eigen::MatrixXd gaussian(large, small);
  for (Eigen::Index row = 0; row < large; ++row)
    for (Eigen::Index column = 0; column < small; ++column)
      gaussian(row, column) = random_normal(seed, number, static_cast<std::uint64_t>(row * small + column));
  const Eigen::MatrixXd frame = orthonormal(gaussian);
  Tensor tensor(shape);
  if (shape[0] == large) {
    tensor.matrix() = frame.cast<float>();
  } else {
    tensor.matrix() = frame.transpose().cast<float>();
  }
  return tensor;
}

}  // namespace

Tensor initialised(Initialiser initialiser, const Shape& shape, std::uint64_t seed, std::string_view stream) {
  switch (initialiser) {
    case Initialiser::Xavier:
      return gaussian_block(shape, seed, stream, std::sqrt(2.0 / static_cast<double>(shape[0] + shape[1])));
    case Initialiser::Normal: return gaussian_block(shape, seed, stream, 0.02);
    case Initialiser::Identity: return identity(shape);
    case Initialiser::Orthogonal: return orthogonal(shape, seed, stream);
    case Initialiser::Linear: return uniform_block(shape, seed, stream, shape[0]);
  }
  return Tensor(shape);
}

Tensor linear_bias(std::int64_t width, std::int64_t fan_in, std::uint64_t seed, std::string_view stream) {
  return uniform_block({width}, seed, stream, fan_in);
}

std::string_view stream_name(Projection which) {
  constexpr std::array<std::string_view, 4> names{"block W_Q", "block W_K", "block W_V", "block W_O"};
  return names[static_cast<std::size_t>(which)];
}

}  // namespace attnscope
