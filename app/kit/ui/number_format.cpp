#include "app/kit/ui/number_format.hpp"

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace attnscope {
namespace {

/// ASCII digits with the sign as U+2212; a zero that only looks negative loses its sign.
std::string with_minus(std::string digits) {
  if (digits.empty() || digits[0] != '-') return digits;
  digits.erase(0, 1);
  if (digits.find_first_not_of("0.") == std::string::npos) return digits;
  std::string signed_digits("\u2212");
  signed_digits += digits;
  return signed_digits;
}

std::string not_finite(double value) {
  if (std::isnan(value)) return "NaN";
  return value < 0 ? "\u2212∞" : "∞";
}

/// The power of ten whose mantissa is below 10 after rounding to `places`: 9.96e-5 is written 1.0e-4.
int exponent_of(double size, int places) {
  const int exponent = static_cast<int>(std::floor(std::log10(size)));
  const double mantissa = size / std::pow(10.0, exponent);
  return mantissa + 0.5 * std::pow(10.0, -places) >= 10 ? exponent + 1 : exponent;
}

}  // namespace

std::string fixed(double value, int places) {
  if (!std::isfinite(value)) return not_finite(value);
  return with_minus(fmt::format("{:.{}f}", value, places));
}

std::string in_cell(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  if (std::abs(value) >= 0.995) return fixed(value, 1);
  std::string digits = fmt::format("{:.2f}", std::abs(value)).substr(1);
  return value < 0 && digits != ".00" ? "\u2212" + digits : digits;
}

std::string score_in_cell(double value) {
  const double size = std::abs(value);
  return fixed(value, size < 9.95 ? 1 : 0);
}

std::string tiny(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  if (value == 0) return "0";
  const int exponent = exponent_of(std::abs(value), 1);
  if (exponent >= -2 && exponent <= 3) return fixed(value, 3);
  const double mantissa = value / std::pow(10.0, exponent);
  return fixed(mantissa, 1) + "e" + (exponent < 0 ? "\u2212" : "") + std::to_string(std::abs(exponent));
}

std::string tight(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 0.995) return fixed(value, size < 9.95 ? 1 : 0);
  if (size >= 0.005) return in_cell(value);
  const int exponent = exponent_of(size, 0);
  return fixed(value / std::pow(10.0, exponent), 0) + "e\u2212" + std::to_string(-exponent);
}

std::string bytes(std::int64_t count) {
  constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  double size = static_cast<double>(count);
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < units.size(); ++unit) size /= 1024;
  return fixed(size, unit == 0 ? 0 : 1) + " " + std::string(units[unit]);
}

std::string metric(double count) {
  constexpr std::array<std::string_view, 5> units{"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  for (; count >= 999.5 && unit + 1 < units.size(); ++unit) count /= 1000;
  if (count >= 999.5) return tiny(count * 1e12);
  return fixed(count, unit > 0 && count < 99.95 ? 1 : 0) + std::string(units[unit]);
}

std::string grouped(std::int64_t value) {
  const std::string digits = std::to_string(value);
  const std::size_t sign = value < 0 ? 1 : 0;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t left = digits.size() - i;
    if (i > sign && left % 3 == 0) out += ',';
    out += digits[i];
  }
  return with_minus(out);
}

std::string counted(std::int64_t number, std::string_view one, std::string_view several) {
  return grouped(number) + " " + std::string(number == 1 || number == -1 ? one : several);
}

std::string tick(double value, double step) {
  int places = 0;
  for (double s = std::abs(step); places < 6 && std::abs(s - std::round(s)) > 1e-6; s *= 10) ++places;
  return fixed(value, places);
}

}  // namespace attnscope
