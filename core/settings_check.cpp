#include "core/settings_check.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"

namespace attnscope {

namespace {

/// The setting called `name` must be a whole number from `least` to `most`.
void check_range(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most)
    throw Error(fmt::format("{} is {}; it must be from {} to {}.", name, value, least, most));
}

void check_even(std::string_view name, int value, std::string_view when) {
  if (value % 2 != 0) throw Error(fmt::format("{} is {}; it must be even{}.", name, value, when));
}

void check_positions(const PositionSettings& settings) {
  if (!(settings.rope_base > 1) || !std::isfinite(settings.rope_base))
    throw Error(
        fmt::format("The rotary base is {}; it must be a finite number above 1.", settings.rope_base));
  check_range("The number of rotated dimensions", settings.rope_dims, 0, max_d_model);
  check_even("The number of rotated dimensions", settings.rope_dims, "");
  const bool two_sided = settings.buckets_two_sided;
  check_range("The number of buckets", settings.buckets, two_sided ? 4 : 2, 4096);
  if (two_sided)
    check_even("The number of buckets", settings.buckets, " with a side before and a side after");
  const int exact = settings.buckets / (two_sided ? 4 : 2);
  check_range("The bucket distance", settings.bucket_distance, exact + 1, 1 << 24);
}

void check_masking(const Masking& masking) {
  check_range("The window's left side", masking.window.left, -1, 1 << 30);
  check_range("The window's right side", masking.window.right, -1, 1 << 30);
  const Sparsity& sparsity = masking.sparsity;
  check_range("The stride of the mask", sparsity.stride, 1, 1 << 24);
  check_range("The block length of the mask", sparsity.block, 1, 1 << 24);
  check_range("The number of global tokens", sparsity.globals, 0, 1 << 24);
  check_range("The number of LSH buckets", sparsity.lsh_buckets, 2, 1024);
  check_even("The number of LSH buckets", sparsity.lsh_buckets, "");
  check_range("The number of LSH rounds", sparsity.lsh_rounds, 1, 16);
}

}  // namespace

void check_settings(const Document& document) {
  const Scaling& scaling = document.scaling;
  if (scaling.kind == Scaling::Kind::Factor && !std::isfinite(scaling.factor))
    throw Error(fmt::format("The scale factor is {}; it must be a finite number.", scaling.factor));
  if (!(document.soft_cap >= 0) || !std::isfinite(document.soft_cap)) {
    throw Error(fmt::format("The soft-cap is {}; it must be a finite number above 0, or 0 for none.",
                            document.soft_cap));
  }
  if (!(document.temperature > 0) || !std::isfinite(document.temperature)) {
    throw Error(
        fmt::format("The temperature is {}; it must be a finite number above 0.", document.temperature));
  }
  if (!(document.dropout.rate >= 0) || !(document.dropout.rate < 1)) {
    throw Error(
        fmt::format("The dropout rate is {}; it must be at least 0 and below 1.", document.dropout.rate));
  }
  check_positions(document.position_settings);
  check_masking(document.masking);
}

}  // namespace attnscope
