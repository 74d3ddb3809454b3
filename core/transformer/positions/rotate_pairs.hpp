// core/transformer/positions: the rotation of pairs of numbers, of which rotary positions are made (Su et al.
// 2021, section 3.4.2). Which angles: rotation.hpp for layers, rotate_in_place.hpp for models.
#pragma once

#include <cstdint>

namespace attnscope {

/// Rotates pair i < pairs of x in place, (a, b) -> (a·cosine[i] − b·sine[i], b·cosine[i] + a·sine[i]):
/// numbers i and i + pairs, or 2i and 2i + 1 if interleaved. `back` rotates by the negative angle.
template <class T>
void rotate_pairs(T* x, std::int64_t pairs, bool interleaved, const T* cosine, const T* sine,
                  bool back = false);

}  // namespace attnscope
