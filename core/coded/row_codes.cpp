#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include <Eigen/Core>

#include "core/coded/coded_forms.hpp"

namespace attnscope {
namespace {

using Kind = RowCodesSettings::Kind;

/// Sign, four bits of exponent (bias 7), three of fraction; no infinities.
constexpr float e4m3(unsigned byte) {
  const unsigned exponent = byte >> 3 & 15, fraction = byte & 7;
  if ((byte & 127) == 127) return std::bit_cast<float>(0x7fc00000u | (byte & 128) << 24);
  float size = exponent == 0 ? static_cast<float>(fraction) : static_cast<float>(8 + fraction);
  size *= std::bit_cast<float>(((exponent == 0 ? 1 : exponent) - 10 + 127) << 23);
  return (byte & 128) != 0 ? -size : size;
}
constexpr std::array<float, 256> e4m3_values = [] {
  std::array<float, 256> values{};
  for (unsigned byte = 0; byte < 256; ++byte) values[byte] = e4m3(byte);
  return values;
}();

void widen_e4m3(const std::uint8_t* from, std::span<float> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = e4m3_values[from[i]];
}

/// The first byte of a half float.
void widen_e5m2(const std::uint8_t* from, std::span<float> to) {
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<float>(std::bit_cast<Eigen::half>(static_cast<std::uint16_t>(from[i] << 8)));
}

void widen_int8(const std::uint8_t* from, std::span<float> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<float>(static_cast<std::int8_t>(from[i]));
}

/// A code may cross the border of two bytes.
void widen_bits(const std::uint8_t* row, std::int64_t first, int bits, float offset, std::span<float> to) {
  const unsigned mask = (1u << bits) - 1;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::int64_t at = (first + static_cast<std::int64_t>(i)) * bits;
    const int skipped = static_cast<int>(at % 8);
    unsigned pair = row[at / 8];
    if (skipped + bits > 8) pair |= static_cast<unsigned>(row[at / 8 + 1]) << 8;
    to[i] = static_cast<float>(pair >> skipped & mask) - offset;
  }
}

constexpr float e2m1[16] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6, -0.0F, -0.5F, -1, -1.5F, -2, -3, -4, -6};

class RowCodes final : public CodedWeights {
 public:
  RowCodes(std::string name, const RowCodesSettings& settings)
      : CodedWeights(std::move(name)), of_(settings) {}

  void widen(const CodedRegion& region) const override {
    const std::int64_t first = region.column / of_.block_columns,
                       end = (region.column + region.columns + of_.block_columns - 1) / of_.block_columns;
    std::vector<float> scales(static_cast<std::size_t>(end - first)), biases;
    if (!of_.biases.empty()) biases.resize(scales.size());
    std::int64_t read = -1;  // the row of blocks in `scales`
    for (std::int64_t i = 0; i < region.rows; ++i) {
      const std::int64_t row = region.row + i, blocks = row / of_.block_rows;
      const std::span<float> to(region.to + i * region.stride, static_cast<std::size_t>(region.columns));
      if (std::exchange(read, blocks) != blocks) read_scales(blocks, first, scales, biases);
      if (of_.kind == Kind::E2M1 || (of_.kind == Kind::Unsigned && of_.bits == 4)) {
        look_up(row, region.column, first, scales, biases, to);
        continue;
      }
      decode(row, region.column, to);
      multiply(region.column, first, scales, biases, to);
      round_products(of_.rounding, to);
    }
  }

 private:
  void read_scales(std::int64_t blocks, std::int64_t first, std::span<float> scales,
                   std::span<float> biases) const {
    if (!biases.empty()) of_.biases.read(blocks, first, biases);
    if (of_.exponents.empty()) {
      of_.scales.read(blocks, first, scales);
      if (of_.scale_factor != 1)
        for (float& scale : scales) scale *= of_.scale_factor;
      return;
    }
    const std::byte* const from = of_.exponents.data() + blocks * of_.scales.columns + first;
    for (std::size_t i = 0; i < scales.size(); ++i) {
      const auto exponent = std::to_integer<std::uint32_t>(from[i]);
      scales[i] = exponent == 255 ? std::numeric_limits<float>::quiet_NaN()
                                  : std::bit_cast<float>(exponent == 0 ? 0x00400000u : exponent << 23);
    }
  }

  void decode(std::int64_t row, std::int64_t column, std::span<float> to) const {
    const auto* const from = reinterpret_cast<const std::uint8_t*>(of_.codes.data() + row * of_.row_bytes);
    switch (of_.kind) {
      case Kind::E4M3: return widen_e4m3(from + column, to);
      case Kind::E5M2: return widen_e5m2(from + column, to);
      case Kind::Int8: return widen_int8(from + column, to);
      default: return widen_bits(from, column, of_.bits, of_.offset, to);
    }
  }

  /// Four bits: of each block the sixteen products are computed once.
  void look_up(std::int64_t row, std::int64_t column, std::int64_t first, std::span<const float> scales,
               std::span<const float> biases, std::span<float> to) const {
    const auto* const from = reinterpret_cast<const std::uint8_t*>(of_.codes.data() + row * of_.row_bytes);
    std::array<float, 16> products{};
    const auto columns = static_cast<std::int64_t>(to.size());
    std::int64_t at = 0;
    for (std::size_t block = 0; block < scales.size(); ++block) {
      for (std::size_t code = 0; code < 16; ++code) {
        const float value = of_.kind == Kind::E2M1 ? e2m1[code] : static_cast<float>(code) - of_.offset;
        products[code] = value * scales[block];
        if (!biases.empty()) products[code] += biases[block];
      }
      round_products(of_.rounding, products);
      const std::int64_t end =
          std::min(columns, (first + static_cast<std::int64_t>(block) + 1) * of_.block_columns - column);
      widen_nibbles(from, column + at, products,
                    to.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(end - at)));
      at = end;
    }
  }

  void multiply(std::int64_t column, std::int64_t first, std::span<const float> scales,
                std::span<const float> biases, std::span<float> to) const {
    const auto columns = static_cast<std::int64_t>(to.size());
    std::int64_t at = 0;
    for (std::size_t block = 0; block < scales.size(); ++block) {
      const std::int64_t end =
          std::min(columns, (first + static_cast<std::int64_t>(block) + 1) * of_.block_columns - column);
      const float scale = scales[block];
      if (biases.empty()) {
        for (std::int64_t i = at; i < end; ++i) to[static_cast<std::size_t>(i)] *= scale;
      } else {
        for (std::int64_t i = at; i < end; ++i)
          to[static_cast<std::size_t>(i)] = to[static_cast<std::size_t>(i)] * scale + biases[block];
      }
      at = end;
    }
  }

  RowCodesSettings of_;
};

}  // namespace

void widen_nibbles(const std::uint8_t* row, std::int64_t first, std::span<const float, 16> values,
                   std::span<float> to) {
  const std::uint8_t* from = row + first / 2;
  std::size_t i = 0;
  if (first % 2 != 0 && !to.empty()) to[i++] = values[*from++ >> 4];
  for (; i + 2 <= to.size(); i += 2, ++from) {
    to[i] = values[*from & 15];
    to[i + 1] = values[*from >> 4];
  }
  if (i < to.size()) to[i] = values[*from & 15];
}

void round_products(ProductRounding rounding, std::span<float> numbers) {
  if (rounding == ProductRounding::BFloat16) {
    for (float& number : numbers) {
      const auto bits = std::bit_cast<std::uint32_t>(number);
      const std::uint32_t nearest = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;  // ties to even
      number = std::bit_cast<float>((bits & 0x7fffffff) > 0x7f800000 ? bits : nearest);
    }
  }
  if (rounding == ProductRounding::Float16)
    for (float& number : numbers) number = static_cast<float>(static_cast<Eigen::half>(number));
}

std::shared_ptr<const CodedWeights> row_codes(std::string name, const RowCodesSettings& settings) {
  return std::make_shared<const RowCodes>(std::move(name), settings);
}

}  // namespace attnscope
