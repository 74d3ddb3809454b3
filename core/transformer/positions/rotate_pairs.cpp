#include "core/transformer/positions/rotate_pairs.hpp"

namespace attnscope {

template <class T>
void rotate_pairs(T* x, std::int64_t pairs, bool interleaved, const T* cosine, const T* sine, bool back) {
  const std::int64_t step = interleaved ? 2 : 1, apart = interleaved ? 1 : pairs;
  for (std::int64_t i = 0; i < pairs; ++i) {
    T &a = x[i * step], &b = x[i * step + apart];
    const T c = cosine[i], s = back ? -sine[i] : sine[i], was = a;
    a = was * c - b * s;
    b = b * c + was * s;
  }
}

template void rotate_pairs(float*, std::int64_t, bool, const float*, const float*, bool);
template void rotate_pairs(double*, std::int64_t, bool, const double*, const double*, bool);

}  // namespace attnscope
