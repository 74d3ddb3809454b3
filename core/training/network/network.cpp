#include <cmath>

#include "core/training/kernels/kernels.hpp"
#include "core/training/network/pass.hpp"
#include "core/transformer/positions/alibi.hpp"

namespace attnscope::training {
namespace {

constexpr double rotary_base = 10'000, wave_base = 10'000;

std::int64_t table_size(bool there, int rows, int columns) {
  return there ? std::int64_t{rows} * columns : 0;
}

template <class T>
void fill_rotary(const NetworkSpec& spec, Network<T>& network) {
  const int half = spec.d_k() / 2;
  for (int position = 0; position < spec.length; ++position) {
    for (int i = 0; i < half; ++i) {
      const double angle = position * std::pow(rotary_base, -2.0 * i / spec.d_k());
      network.cosines[std::int64_t{position} * half + i] = static_cast<T>(std::cos(angle));
      network.sines[std::int64_t{position} * half + i] = static_cast<T>(std::sin(angle));
    }
  }
}

/// Pairs of a sine and a cosine, from fast to slow.
template <class T>
void fill_waves(const NetworkSpec& spec, Network<T>& network) {
  for (int position = 0; position < spec.length; ++position) {
    for (int i = 0; i < spec.width; ++i) {
      const double angle = position * std::pow(wave_base, -static_cast<double>(i / 2 * 2) / spec.width);
      network.waves[std::int64_t{position} * spec.width + i] =
          static_cast<T>(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
}

}  // namespace

template <class T>
Network<T>::Network(const NetworkSpec& of)
    : spec(of),
      layout(layout_of(of)),
      cosines(table_size(of.positions == Positions::RopeHalf, of.length, of.d_k() / 2)),
      sines(cosines.size()),
      waves(table_size(of.positions == Positions::Sinusoidal, of.length, of.width)) {
  if (of.positions == Positions::RopeHalf) fill_rotary(of, *this);
  if (of.positions == Positions::Sinusoidal) fill_waves(of, *this);
  if (of.positions == Positions::Alibi)
    for (const double slope : alibi_slopes(of.heads)) slopes.push_back(static_cast<T>(slope));
}

template <class T>
bool transpose_matrix(const Network<T>& network, const Kernels<T>& kernels, const T* values, std::size_t i,
                      T* transposed) {
  const Layout& layout = network.layout;
  constexpr std::size_t of_block = 4;
  const auto turn = [&](const MapAt& map, bool tied) {
    if (map.weight < 0) return;
    const int rows = tied ? map.d_out : map.d_in, columns = tied ? map.d_in : map.d_out;
    kernels.transpose(values + map.weight, columns, rows, columns, transposed + map.weight, rows);
  };
  if (i < of_block * layout.blocks.size()) {
    const BlockLayout& block = layout.blocks[i / of_block];
    const MapAt* const maps[of_block] = {&block.maps, &block.output, &block.up, &block.down};
    turn(*maps[i % of_block], false);
    return true;
  }
  i -= of_block * layout.blocks.size();
  if (i >= layout.read_outs.size()) return false;
  turn(layout.read_outs[i], network.spec.read_outs[i].tied);
  return true;
}

template struct Network<float>;
template struct Network<double>;
template bool transpose_matrix(const Network<float>&, const Kernels<float>&, const float*, std::size_t,
                               float*);
template bool transpose_matrix(const Network<double>&, const Kernels<double>&, const double*, std::size_t,
                               double*);

}  // namespace attnscope::training
