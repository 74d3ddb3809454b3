#include "core/analysis/value_range.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace attnscope {
namespace {

constexpr std::int32_t sign_bit = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t infinity_bits = 0x7F800000;

float float_of(std::int32_t bits) { return std::bit_cast<float>(bits); }

/// Maps the bits of floats to integers of the same order; its own inverse.
std::int32_t in_order(std::int32_t bits) { return bits ^ ((bits >> 31) & ~sign_bit); }

/// The least of `least` and the bits of the seen floats above 0, whose order is that of their bits.
std::int32_t least_positive(std::span<const float> values, std::span<const std::uint8_t> seen,
                            std::int32_t least) {
  const float* const v = values.data();
  const std::uint8_t* const s = seen.data();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<std::int32_t>(v[i]);
    const std::int32_t counts = (s[i] != 0) & (bits > 0);
    const std::int32_t own = counts != 0 ? bits : infinity_bits;
    least = own < least ? own : least;
  }
  return least;
}

}  // namespace

std::int64_t count_not_finite(std::span<const float> values) {
  // At a time: an int32 counts them, of which twice as many fit in a vector.
  constexpr std::size_t most = std::size_t{1} << 30;
  std::int64_t all = 0;
  for (; !values.empty(); values = values.subspan(std::min(most, values.size()))) {
    const float* const v = values.data();
    const std::size_t end = std::min(most, values.size());
    std::int32_t count = 0;
    for (std::size_t i = 0; i < end; ++i)
      count += (std::bit_cast<std::int32_t>(v[i]) & ~sign_bit) >= infinity_bits;
    all += count;
  }
  return all;
}

void widen_range(std::span<const float> values, std::span<const std::uint8_t> seen, float& least,
                 float& greatest) {
  const float* const v = values.data();
  const std::uint8_t* const s = seen.data();
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max(), none = sign_bit;
  std::int32_t low = most, high = none;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<std::int32_t>(v[i]);
    const std::int32_t place = in_order(bits);
    const std::int32_t keep = -static_cast<std::int32_t>((s[i] != 0) & ((bits & ~sign_bit) < infinity_bits));
    const std::int32_t a = (place & keep) | (most & ~keep), b = (place & keep) | (none & ~keep);
    low = a < low ? a : low;
    high = b > high ? b : high;
  }
  if (low > high) return;  // no finite value is seen
  least = std::min(least, float_of(in_order(low)));
  greatest = std::max(greatest, float_of(in_order(high)));
}

ValueRange value_range(const ConstMatrixMap<float>& values, const SeeRow& see, std::int64_t step) {
  ValueRange range{INFINITY, -INFINITY, 1, 0};
  std::int32_t smallest = infinity_bits;
  const auto keys = static_cast<std::size_t>(values.cols());
  std::vector<std::uint8_t> seen(keys, 1);
  for (Eigen::Index i = 0; i < values.rows(); i += step) {
    see(i, seen);
    const std::span<const float> row{values.data() + i * values.cols(), keys};
    widen_range(row, seen, range.low, range.high);
    smallest = least_positive(row, seen, smallest);
    range.not_finite += count_not_finite(row);
  }
  if (range.low > range.high) range.low = range.high = 0;
  if (smallest < infinity_bits) range.smallest_positive = float_of(smallest);
  return range;
}

float largest_magnitude(std::span<const float> values) {
  const float* const v = values.data();
  std::int32_t most = 0;  // magnitudes have the order of their bits, in which a compiler uses vectors
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(v[i]) & ~sign_bit;
    const std::int32_t own = bits < infinity_bits ? bits : 0;
    most = own > most ? own : most;
  }
  return float_of(most);
}

float largest_magnitude(const ConstMatrixMap<float>& values, const MatrixPart& part) {
  float most = 0;
  for (std::int64_t i = part.row; i < part.row + part.rows; ++i) {
    const std::span<const float> row(values.row(i).data() + part.column,
                                     static_cast<std::size_t>(part.columns));
    most = std::max(most, largest_magnitude(row));
  }
  return most;
}

}  // namespace attnscope
