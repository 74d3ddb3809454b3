#include "core/attention/dropout.hpp"

#include "core/attention/blocks.hpp"
#include "core/base/random.hpp"

namespace attnscope {

bool keeps(const Dropout& dropout, std::int64_t index) {
  constexpr double steps = 9007199254740992.0;  // 2^53
  const std::uint64_t bits =
      random_bits(dropout.seed, stream_of("dropout of weights"), static_cast<std::uint64_t>(index));
  return static_cast<double>(bits >> 11) / steps >= static_cast<double>(dropout.rate);
}

namespace {

/// The kept weights of a row, grown by 1 / (1 - rate), in place or not. `first` is the tensor's first number.
template <class T>
void drop_row(const Dropout& dropout, const T* first, std::span<const T> in, std::span<T> out) {
  const T grown = static_cast<T>(1 / (1 - static_cast<double>(dropout.rate)));
  const std::int64_t start = in.data() - first;
  for (std::size_t key = 0; key < in.size(); ++key)
    out[key] = keeps(dropout, start + static_cast<std::int64_t>(key)) ? in[key] * grown : T{0};
}

}  // namespace

template <class T>
TensorOf<T> drop(const Work& work, const TensorOf<T>& weights, const Dropout& dropout) {
  const T* first = weights.data();
  return by_rows(work, weights, 8.0,
                 [&](std::int64_t, std::int64_t, std::int64_t, std::span<const T> in, std::span<T> out) {
                   drop_row<T>(dropout, first, in, out);
                 });
}

template <class T>
void drop_backward(const Work& work, const Dropout& dropout, TensorOf<T>& gradient) {
  const T* first = gradient.data();
  for_open_rows(work, OpenHeads{}, gradient, 8.0,
                [&](std::int64_t, std::int64_t, std::int64_t, std::span<T> row) {
                  drop_row<T>(dropout, first, row, row);
                });
}

template TensorOf<float> drop(const Work&, const TensorOf<float>&, const Dropout&);
template TensorOf<double> drop(const Work&, const TensorOf<double>&, const Dropout&);

template void drop_backward(const Work&, const Dropout&, TensorOf<float>&);
template void drop_backward(const Work&, const Dropout&, TensorOf<double>&);

}  // namespace attnscope
