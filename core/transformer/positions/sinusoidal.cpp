#include "core/transformer/positions/sinusoidal.hpp"

#include "core/transformer/positions/add_to_rows.hpp"

namespace attnscope {

template <class T>
void add_sinusoids(TensorOf<T>& x, std::int64_t first) {
  const int d = static_cast<int>(x.shape()[2] - first);
  add_to_rows(x, first, d, [&](std::int64_t t, std::int64_t dim) {
    const double angle = position_frequency(static_cast<int>(dim) / 2, d) * static_cast<double>(t);
    return static_cast<T>(dim % 2 == 0 ? std::sin(angle) : std::cos(angle));
  });
}

template void add_sinusoids(TensorOf<float>&, std::int64_t);
template void add_sinusoids(TensorOf<double>&, std::int64_t);

}  // namespace attnscope
