#include "core/transformer/positions/learned.hpp"

#include "core/base/random.hpp"
#include "core/transformer/positions/add_to_rows.hpp"

namespace attnscope {

template <class T>
void add_learned(TensorOf<T>& x, const VectorSource<T>& of) {
  const std::int64_t width = x.shape()[2];
  if (of.table != nullptr) {
    add_to_rows(x, 0, width, [&](std::int64_t t, std::int64_t dim) { return of.table->matrix()(t, dim); });
    return;
  }
  constexpr double sigma = 0.5;  // visible beside token vectors of N(0, 1), but smaller than they are
  const std::uint64_t stream = stream_of("learned positions");
  add_to_rows(x, of.first, width - of.first, [&](std::int64_t t, std::int64_t dim) {
    const auto index = (static_cast<std::uint64_t>(t) << 24) + static_cast<std::uint64_t>(dim);
    return static_cast<T>(static_cast<float>(sigma * random_normal(of.seed, stream, index)));
  });
}

template void add_learned(TensorOf<float>&, const VectorSource<float>&);
template void add_learned(TensorOf<double>&, const VectorSource<double>&);

}  // namespace attnscope
