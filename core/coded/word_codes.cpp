#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/coded/coded_forms.hpp"

namespace attnscope {
namespace {

std::uint32_t word_at(std::span<const std::byte> words, std::int64_t index) {
  std::uint32_t word;
  std::memcpy(&word, words.data() + index * 4, sizeof word);
  return word;
}

/// Where AWQ puts the code of row 8·c + i in a word, in fours of bits.
constexpr std::array<int, 8> awq_places{0, 4, 1, 5, 2, 6, 3, 7};

class WordCodes final : public CodedWeights {
 public:
  WordCodes(std::string name, WordCodesSettings settings)
      : CodedWeights(std::move(name)), of_(std::move(settings)), mask_((1u << of_.bits) - 1) {}

  void widen(const CodedRegion& region) const override {
    // Scales and zeros of the region's rows, of each group that its columns have.
    Groups groups(static_cast<std::size_t>(of_.scales.rows), static_cast<std::size_t>(region.rows));
    for (std::int64_t k = region.column; k < region.column + region.columns; ++k)
      read_group(k, region, groups);
    if (of_.order == WordCodesSettings::Order::Awq) return widen_awq(region, groups);
    switch (of_.bits) {
      case 2: return widen_gptq<2>(region, groups);
      case 4: return widen_gptq<4>(region, groups);
      default: return widen_gptq<8>(region, groups);
    }
  }

 private:
  struct Groups {
    std::size_t rows;
    std::vector<float> scales;
    std::vector<int> zeros;
    std::vector<bool> known;
    Groups(std::size_t count, std::size_t rows_of)
        : rows(rows_of), scales(count * rows), zeros(count * rows), known(count) {}
  };

  std::size_t group_of(std::int64_t column) const {
    return static_cast<std::size_t>(of_.groups[static_cast<std::size_t>(column)]);
  }

  void read_group(std::int64_t column, const CodedRegion& region, Groups& groups) const {
    const std::size_t group = group_of(column), rows = groups.rows;
    if (groups.known[group]) return;
    groups.known[group] = true;
    const auto index = static_cast<std::int64_t>(group);
    of_.scales.read(index, region.row, std::span(groups.scales).subspan(group * rows, rows));
    const bool is_awq = of_.order == WordCodesSettings::Order::Awq;
    const std::int64_t each = 32 / of_.bits, words = of_.rows / each;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::int64_t row = region.row + static_cast<std::int64_t>(i);
      const int place = is_awq ? awq_places[static_cast<std::size_t>(row % 8)] : static_cast<int>(row % each);
      groups.zeros[group * rows + i] =
          static_cast<int>(word_at(of_.zeros, index * words + row / each) >> place * of_.bits & mask_) +
          of_.added_to_zero;
    }
  }

  /// A word at a time, of one row: its columns are neighbours.
  template <int bits>
  void widen_gptq(const CodedRegion& region, const Groups& groups) const {
    constexpr std::int64_t each = 32 / bits;
    const std::int64_t end = region.column + region.columns;
    for (std::int64_t first = region.column; first < end;) {
      const std::int64_t word_row = first / each, last = std::min(end, (word_row + 1) * each);
      bool alike = last - first == each;
      for (std::int64_t k = first + 1; k < last && alike; ++k) alike = group_of(k) == group_of(first);
      for (std::int64_t i = 0; i < region.rows; ++i) {
        const std::uint32_t word = word_at(of_.words, word_row * of_.rows + region.row + i);
        float* const to = region.to + i * region.stride + (first - region.column);
        if (alike) {
          const std::size_t at = group_of(first) * groups.rows + static_cast<std::size_t>(i);
          const int zero = groups.zeros[at];
          const float scale = groups.scales[at];
          for (int k = 0; k < each; ++k)
            to[k] =
                static_cast<float>(static_cast<int>(word >> k * bits & ((1u << bits) - 1)) - zero) * scale;
          continue;
        }
        for (std::int64_t k = first; k < last; ++k) {
          const std::size_t at = group_of(k) * groups.rows + static_cast<std::size_t>(i);
          const auto code = static_cast<int>(word >> k % each * bits & mask_);
          to[k - first] = static_cast<float>(code - groups.zeros[at]) * groups.scales[at];
        }
      }
      first = last;
    }
  }

  /// A word at a time, of one column: eight rows, or those of them that the region has.
  void widen_awq(const CodedRegion& region, const Groups& groups) const {
    for (std::int64_t i = 0; i < region.rows;) {
      const std::int64_t row = region.row + i, place = row % 8, count = std::min(8 - place, region.rows - i);
      for (std::int64_t k = 0; k < region.columns; ++k) {
        const std::int64_t column = region.column + k;
        const std::uint32_t word = word_at(of_.words, column * (of_.rows / 8) + row / 8);
        const std::size_t at = group_of(column) * groups.rows + static_cast<std::size_t>(i);
        const int* const zero = groups.zeros.data() + at;
        const float* const scale = groups.scales.data() + at;
        float* const to = region.to + i * region.stride + k;
        if (count == 8) {
          for (std::int64_t j = 0; j < 8; ++j) to[j * region.stride] = code_of(word, j, zero[j]) * scale[j];
          continue;
        }
        for (std::int64_t j = 0; j < count; ++j)
          to[j * region.stride] = code_of(word, place + j, zero[j]) * scale[j];
      }
      i += count;
    }
  }
  static float code_of(std::uint32_t word, std::int64_t row, int zero) {
    return static_cast<float>(static_cast<int>(word >> 4 * awq_places[static_cast<std::size_t>(row)] & 15) -
                              zero);
  }

  WordCodesSettings of_;
  std::uint32_t mask_;
};

class TableCodes final : public CodedWeights {
 public:
  TableCodes(std::string name, TableCodesSettings settings)
      : CodedWeights(std::move(name)), of_(std::move(settings)) {}

  void widen(const CodedRegion& region) const override {
    std::array<float, 16> products{};  // of the block that was the last one
    std::int64_t known = -1;
    for (std::int64_t i = 0; i < region.rows; ++i) {
      const std::int64_t begin = (region.row + i) * of_.columns + region.column, end = begin + region.columns;
      float* to = region.to + i * region.stride;
      for (std::int64_t number = begin; number < end;) {
        const std::int64_t block = is_one_scale_ ? 0 : number / of_.block;
        if (std::exchange(known, block) != block) read_products(block, products);
        for (const std::int64_t last = std::min(end, (number / of_.block + 1) * of_.block); number < last;
             ++number) {
          const auto pair = std::to_integer<unsigned>(of_.codes[static_cast<std::size_t>(number / 2)]);
          *to++ = products[number % 2 == 0 ? pair >> 4 : pair & 15];
        }
      }
    }
  }

 private:
  void read_products(std::int64_t block, std::span<float, 16> products) const {
    const float scale = scale_of(block);
    for (std::size_t code = 0; code < 16; ++code) products[code] = of_.table[code] * scale;
    round_products(of_.rounding, products);
  }

  float scale_of(std::int64_t block) const {
    float scale = 0;
    if (of_.scale_codes.empty()) {
      of_.scales.read(0, block, {&scale, 1});
      return scale;
    }
    const auto code = std::to_integer<std::size_t>(of_.scale_codes[static_cast<std::size_t>(block)]);
    return of_.scale_table[code] * of_.factors[static_cast<std::size_t>(block / of_.outer_block)] +
           of_.offset;
  }

  TableCodesSettings of_;
  /// bitsandbytes on a processor with AVX-512 gives rows that are shorter than a block, of a multiple of 16,
  /// the first block's scale. Such rows are only in models made for tests, whose numbers are of that kind.
  bool is_one_scale_ = of_.columns < of_.block && of_.columns % 16 == 0;
};

}  // namespace

std::shared_ptr<const CodedWeights> word_codes(std::string name, WordCodesSettings settings) {
  return std::make_shared<const WordCodes>(std::move(name), std::move(settings));
}

std::shared_ptr<const CodedWeights> table_codes(std::string name, TableCodesSettings settings) {
  return std::make_shared<const TableCodes>(std::move(name), std::move(settings));
}

}  // namespace attnscope
