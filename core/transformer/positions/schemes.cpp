#include "core/transformer/positions/schemes.hpp"

#include "core/base/number_checks.hpp"
#include "core/transformer/positions/alibi.hpp"
#include "core/transformer/positions/learned.hpp"
#include "core/transformer/positions/relative_buckets.hpp"
#include "core/transformer/positions/relative_windows.hpp"
#include "core/transformer/positions/rope_frequencies.hpp"
#include "core/transformer/positions/sinusoidal.hpp"

namespace attnscope {

void check_scheme(Positions scheme, const PositionSettings& settings, const ImageWindows& image) {
  check_rope(settings);
  check_buckets(settings);
  if (scheme == Positions::RelativeWindows)
    check_range("The side of a window with relative positions", image.side, 1, max_window_side);
}

template <class T>
void add_position_vectors(TensorOf<T>& x, const VectorSource<T>& of) {
  switch (of.scheme) {
    case Positions::Sinusoidal: return add_sinusoids(x, of.first);
    case Positions::Learned: return add_learned(x, of);
    default: return;
  }
}

std::int64_t table_rows(Positions scheme, const PositionSettings& settings, const ImageWindows& image) {
  switch (scheme) {
    case Positions::RelativeBuckets: return settings.buckets;
    case Positions::RelativeWindows: return window_offsets(image.side);
    case Positions::Disentangled: return 2 * std::int64_t{settings.span};
    default: return 0;
  }
}

template <class T>
std::unique_ptr<const PositionBias<T>> position_bias(const BiasSource<T>& of) {
  switch (of.scheme) {
    case Positions::RelativeBuckets: return bucket_bias(of);
    case Positions::Alibi: return alibi_bias(of);
    case Positions::RelativeWindows: return window_bias(of);
    default: return nullptr;
  }
}

template <class T>
void position_bias_backward(const PositionBias<T>& bias, std::span<const std::int64_t> first,
                            std::int64_t token_keys, const TensorOf<T>& d_bias, TensorOf<T>& table) {
  const Shape& shape = d_bias.shape();
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t h = 0; h < shape[1]; ++h)
      for (std::int64_t i = 0; i < shape[2]; ++i)
        for (std::int64_t j = 0; j < token_keys; ++j)
          if (const auto row = bias.row(first[static_cast<std::size_t>(b)] + i, j))
            table.matrix()(*row, h) += d_bias.matrix(b, h)(i, j);
}

template void add_position_vectors(TensorOf<float>&, const VectorSource<float>&);
template void add_position_vectors(TensorOf<double>&, const VectorSource<double>&);
template std::unique_ptr<const PositionBias<float>> position_bias(const BiasSource<float>&);
template std::unique_ptr<const PositionBias<double>> position_bias(const BiasSource<double>&);
template void position_bias_backward(const PositionBias<float>&, std::span<const std::int64_t>, std::int64_t,
                                     const TensorOf<float>&, TensorOf<float>&);
template void position_bias_backward(const PositionBias<double>&, std::span<const std::int64_t>, std::int64_t,
                                     const TensorOf<double>&, TensorOf<double>&);

}  // namespace attnscope
