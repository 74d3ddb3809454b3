#include "app/kit/draw/row_loops.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace attnscope {
namespace {

constexpr std::int32_t sign_bit = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t infinity_bits = 0x7F800000;

constexpr std::uint8_t met_number = 1, met_underflow = 2, met_masked = 4;

float float_of(std::int32_t bits) { return std::bit_cast<float>(bits); }

}  // namespace

void kinds_of_row(std::span<const float> values, std::span<const std::uint8_t> seen, KindRule rule,
                  std::span<CellKind> kinds) {
  const std::size_t count = kinds.size();
  const float* const v = values.data();
  const std::uint8_t* const s = seen.data();
  auto* const out = reinterpret_cast<std::uint8_t*>(kinds.data());
  const auto hidden = static_cast<std::uint8_t>(rule.hidden);
  if (!rule.zero_is_underflow && !rule.leaks_are_numbers) {
    for (std::size_t i = 0; i < count; ++i) out[i] = s[i] == 0 ? hidden : std::uint8_t{0};
    return;
  }
  const auto underflow =
      static_cast<std::uint8_t>(rule.zero_is_underflow ? CellKind::Underflow : CellKind::Number);
  const auto leak = rule.leaks_are_numbers ? std::uint8_t{0} : hidden;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t zero = v[i] == 0 ? 1 : 0;
    const std::uint8_t nan = v[i] != v[i] ? 1 : 0;  // in a row of NaN, the hidden cells have it, too
    const std::uint8_t when_hidden = (zero | nan) != 0 ? hidden : leak;
    const std::uint8_t when_seen = zero != 0 ? underflow : std::uint8_t{0};
    out[i] = s[i] == 0 ? when_hidden : when_seen;
  }
}

void ColumnPool::clear() {
  std::fill(up_.begin(), up_.end(), 0);
  std::fill(down_.begin(), down_.end(), 0);
  std::fill(met_.begin(), met_.end(), std::uint8_t{0});
}

void ColumnPool::add(std::span<const float> values, std::span<const CellKind> kinds) {
  const std::size_t count = up_.size();
  const float* const v = values.data();
  const auto* const k = reinterpret_cast<const std::uint8_t*>(kinds.data());
  std::int32_t* const up = up_.data();
  std::int32_t* const down = down_.data();
  std::uint8_t* const met = met_.data();
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::int32_t>(v[i]);
    const std::int32_t keep = (k[i] & 1) - 1;  // all ones where the number counts
    // A negative float is a negative integer, and never above the 0 that `up` and `down` start with.
    const std::int32_t a = bits & keep, b = (bits ^ sign_bit) & keep;
    up[i] = a > up[i] ? a : up[i];
    down[i] = b > down[i] ? b : down[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t number = k[i] == 0 ? met_number : 0, underflow = k[i] == 2 ? met_underflow : 0,
                       masked = k[i] == 1 ? met_masked : 0;
    met[i] = static_cast<std::uint8_t>(met[i] | number | underflow | masked);
  }
}

ColumnPool::Pooled ColumnPool::over(std::size_t begin, std::size_t end) const {
  std::int32_t up = 0, down = 0;
  unsigned met = 0;
  for (std::size_t i = begin; i < end; ++i) {
    up = std::max(up, up_[i]);
    down = std::max(down, down_[i]);
    met |= met_[i];
  }
  if ((met & (met_number | met_underflow)) == 0)
    return {(met & met_masked) != 0 ? CellKind::Masked : CellKind::NoKey, 0};
  const float value = up >= down ? float_of(up) : -float_of(down);
  if (std::max(up, down) < infinity_bits && (met & met_number) == 0) return {CellKind::Underflow, 0};
  return {CellKind::Number, value};
}

}  // namespace attnscope
