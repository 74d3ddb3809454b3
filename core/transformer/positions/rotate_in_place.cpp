#include "core/transformer/positions/rotate_in_place.hpp"

#include <cmath>

#include "core/base/row_blocks.hpp"
#include "core/transformer/positions/rotate_pairs.hpp"

namespace attnscope {

void rotate_in_place(const Work& work, Positions kind, const RopeFrequencies& frequencies,
                     std::span<const std::int64_t> positions, const HeadsInRows& in) {
  const auto pairs = static_cast<std::int64_t>(frequencies.frequency.size());
  const bool interleaved = kind == Positions::RopeInterleaved;
  const double row_ns = static_cast<double>(pairs * (20 + 2 * in.heads));
  for_row_blocks(work, 1, 1, in.rows, row_ns, [&](const RowBlock& at) {
    std::vector<float> cosine(static_cast<std::size_t>(pairs)), sine(cosine.size());
    for (std::int64_t row = at.first; row < at.first + at.count; ++row) {
      const auto position = static_cast<float>(positions[static_cast<std::size_t>(row)]);
      for (std::size_t i = 0; i < cosine.size(); ++i) {
        const float angle = frequencies.frequency[i] * position;
        cosine[i] = std::cos(angle) * frequencies.magnitude;
        sine[i] = std::sin(angle) * frequencies.magnitude;
      }
      for (std::int64_t h = 0; h < in.heads; ++h)
        rotate_pairs(in.data + row * in.row_stride + h * in.head_stride, pairs, interleaved, cosine.data(),
                     sine.data());
    }
  });
}

}  // namespace attnscope
