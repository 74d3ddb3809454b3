#include "core/transformer/positions/rotation.hpp"

#include <cmath>

#include "core/base/row_blocks.hpp"
#include "core/transformer/positions/rotate_pairs.hpp"

namespace attnscope {

template <class T>
Rotation<T> rotation_at(std::span<const std::int64_t> first, std::int64_t tokens, const RopeSettings& rope,
                        Positions kind, std::int64_t length, RotationOf of) {
  const RopeFrequenciesOf<double> frequencies = exact_rope_frequencies(rope, length);
  const Shape shape{std::ssize(first), tokens, rope.rotated / 2};
  Rotation<T> rotation{TensorOf<T>(shape), TensorOf<T>(shape), kind == Positions::RopeInterleaved};
  for (std::int64_t i = 0; i < shape[2]; ++i) {
    const double frequency = frequencies.frequency[static_cast<std::size_t>(i)];
    for (std::int64_t b = 0; b < shape[0]; ++b) {
      for (std::int64_t t = 0; t < tokens; ++t) {
        const std::int64_t position = first[static_cast<std::size_t>(b)] + t;
        const double angle = frequency * static_cast<double>(position);
        const double factor =
            frequencies.magnitude * (of == RotationOf::Queries ? query_factor(rope, position) : 1);
        rotation.cosine.matrix(b)(t, i) = static_cast<T>(factor * std::cos(angle));
        rotation.sine.matrix(b)(t, i) = static_cast<T>(factor * std::sin(angle));
      }
    }
  }
  return rotation;
}

template <class T>
TensorOf<T> rotate(const Work& work, const TensorOf<T>& x, const Rotation<T>& rotation, bool back) {
  TensorOf<T> turned = x;
  const std::int64_t tokens = rotation.cosine.shape()[1], pairs = rotation.cosine.shape()[2];
  for_row_blocks(work, x.shape()[0], x.shape()[1], tokens, static_cast<double>(pairs) * 2,
                 [&](const RowBlock& at) {
                   const std::int64_t b = rotation.cosine.shape()[0] == 1 ? 0 : at.b;
                   const auto cosine = rotation.cosine.matrix(b), sine = rotation.sine.matrix(b);
                   auto head = turned.matrix(at.b, at.h);
                   for (std::int64_t t = at.first; t < at.first + at.count; ++t)
                     rotate_pairs<T>(head.row(t).data(), pairs, rotation.interleaved, cosine.row(t).data(),
                                     sine.row(t).data(), back);
                 });
  return turned;
}

template Rotation<float> rotation_at(std::span<const std::int64_t>, std::int64_t, const RopeSettings&,
                                     Positions, std::int64_t, RotationOf);
template Rotation<double> rotation_at(std::span<const std::int64_t>, std::int64_t, const RopeSettings&,
                                      Positions, std::int64_t, RotationOf);
template TensorOf<float> rotate(const Work&, const TensorOf<float>&, const Rotation<float>&, bool);
template TensorOf<double> rotate(const Work&, const TensorOf<double>&, const Rotation<double>&, bool);

}  // namespace attnscope
