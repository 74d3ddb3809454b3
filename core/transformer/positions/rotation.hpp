// core/transformer/positions: rotary positions of layers: queries and keys are rotated into new tensors. For
// the frequencies see rope_frequencies.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/transformer/positions/rope_frequencies.hpp"

namespace attnscope {

/// The rotation of a head's vectors by rotary positions (Su et al. 2021, section 3.4.2): pair i of r/2 is
/// rotated by angle a, (x, y) -> (x cos a - y sin a, x sin a + y cos a), where (x, y) are dimensions (i, i +
/// r/2), or (2i, 2i + 1) when interleaved; dimensions from r on are unchanged. YaRN multiplies cosine and
/// sine by a factor above 1 (Peng et al. 2023, section 3.4).
template <class T>
struct Rotation {
  TensorOf<T> cosine, sine;  // [1 or batch][tokens][r/2]
  bool interleaved = false;
};

/// Angles p · base^(-2i/r), or with scaled frequencies, for the positions p = first(b) + t of `tokens`
/// tokens, in the pairs of RopeHalf or RopeInterleaved; `first` holds one number for each entry of the batch,
/// or one for all. `length`: the length of the text, see depends_on_length(). Those of queries are multiplied
/// by query_factor().
enum class RotationOf : std::uint8_t { Queries, Keys };
template <class T>
Rotation<T> rotation_at(std::span<const std::int64_t> first, std::int64_t tokens, const RopeSettings&,
                        Positions, std::int64_t length, RotationOf of = RotationOf::Keys);

/// RotateQuery, RotateKey: x [batch][heads][rows][d] with the first rotation.cosine.shape()[1] rows, those of
/// tokens, rotated; the other rows are unchanged. `back` rotates by the negative angle.
template <class T>
TensorOf<T> rotate(const Work&, const TensorOf<T>& x, const Rotation<T>& rotation, bool back = false);
/// Backward of rotate(), Q′ = R·Q: dQ = Rᵀ·dQ′. R is orthogonal up to a factor, so the gradient is rotated
/// back.
template <class T>
TensorOf<T> rotate_backward(const Work& work, const TensorOf<T>& d_turned, const Rotation<T>& rotation) {
  return rotate(work, d_turned, rotation, true);
}

}  // namespace attnscope
