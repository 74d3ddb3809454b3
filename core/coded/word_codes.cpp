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

/// Eight codes of four bits less `zero`, times `scale`. Few machines shift each lane of a vector by another
/// number of bits: codes are cut out where they lie and divided, which is exact.
void widen_word(std::uint32_t word, float zero, float scale, float* to) {
  constexpr std::array<int, 4> masks{0xf, 0xf0, 0xf00, 0xf000};
  constexpr std::array<float, 4> parts{1, 1.0F / 16, 1.0F / 256, 1.0F / 4096};
  const std::array<int, 2> halves{static_cast<int>(word & 0xffff), static_cast<int>(word >> 16)};
  for (std::size_t half = 0; half < 2; ++half)
    for (std::size_t k = 0; k < 4; ++k)
      to[4 * half + k] = (static_cast<float>(halves[half] & masks[k]) * parts[k] - zero) * scale;
}

class WordCodes final : public CodedWeights {
 public:
  WordCodes(std::string name, WordCodesSettings settings)
      : CodedWeights(std::move(name)), of_(std::move(settings)), mask_((1u << of_.bits) - 1) {}

  void widen(const CodedRegion& region) const override {
    // Scales and zeros of the region's rows, of each group that its columns have.
    Groups groups(static_cast<std::size_t>(of_.scales.rows), static_cast<std::size_t>(region.rows));
    std::size_t last = groups.known.size();
    for (std::int64_t k = region.column; k < region.column + region.columns; ++k)
      if (const std::size_t group = group_of(k); std::exchange(last, group) != group)
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

  /// A word has neighbouring columns of one row. Some words of a row, then the next row: the rows of `to` lie
  /// far apart, and so do the words of a row.
  template <int bits>
  void widen_gptq(const CodedRegion& region, const Groups& groups) const {
    constexpr std::int64_t each = 32 / bits, strip = 8 * each;
    const std::int64_t end = region.column + region.columns;
    for (std::int64_t begin = region.column; begin < end;) {
      const std::int64_t last = std::min(end, (begin / each + 8) * each);
      std::array<std::int64_t, strip> group{};  // of each column
      for (std::int64_t k = begin; k < last; ++k)
        group[static_cast<std::size_t>(k - begin)] = static_cast<std::int64_t>(group_of(k));
      std::array<bool, 8> alike{};  // which words have all their columns here, and of one group
      for (std::int64_t k = begin; begin % each == 0 && k + each <= last; k += each) {
        const std::int64_t* const of = group.data() + (k - begin);
        alike[static_cast<std::size_t>((k - begin) / each)] =
            std::all_of(of, of + each, [of](std::int64_t one) { return one == *of; });
      }
      for (std::int64_t i = 0; i < region.rows; ++i) {
        const float* const scales = groups.scales.data() + i;
        const int* const zeros = groups.zeros.data() + i;
        const auto rows = static_cast<std::int64_t>(groups.rows);
        float* const to = region.to + i * region.stride + (begin - region.column);
        for (std::int64_t k = begin; k < last;) {
          const std::uint32_t word = word_at(of_.words, k / each * of_.rows + region.row + i);
          const std::int64_t* const of = group.data() + (k - begin);
          if (bits == 4 && alike[static_cast<std::size_t>((k - begin) / each)]) {
            widen_word(word, static_cast<float>(zeros[*of * rows]), scales[*of * rows], to + (k - begin));
            k += each;
            continue;
          }
          for (const std::int64_t stop = std::min(last, (k / each + 1) * each); k < stop; ++k) {
            const std::int64_t at = group[static_cast<std::size_t>(k - begin)] * rows;
            const auto code = static_cast<int>(word >> k % each * bits & mask_);
            to[k - begin] = static_cast<float>(code - zeros[at]) * scales[at];
          }
        }
      }
      begin = last;
    }
  }

  /// Eight rows, or those of them that the region has, of sixteen columns: a word has one column of each.
  void widen_awq(const CodedRegion& region, const Groups& groups) const {
    constexpr std::int64_t strip = 16;
    std::array<int, strip> words{};
    for (std::int64_t i = 0; i < region.rows;) {
      const std::int64_t row = region.row + i, place = row % 8, count = std::min(8 - place, region.rows - i);
      for (std::int64_t first = 0; first < region.columns;) {
        // Columns of one group, which lie in order.
        const std::int64_t begin = region.column + first;
        const std::size_t group = group_of(begin);
        std::int64_t width = std::min(strip, region.columns - first);
        while (group_of(begin + width - 1) != group) --width;
        for (std::int64_t k = 0; k < width; ++k)
          words[static_cast<std::size_t>(k)] =
              static_cast<int>(word_at(of_.words, (begin + k) * (of_.rows / 8) + row / 8));
        for (std::int64_t j = 0; j < count; ++j) {
          const std::size_t at = group * groups.rows + static_cast<std::size_t>(i + j);
          const int zero = groups.zeros[at], shift = 4 * awq_places[static_cast<std::size_t>(place + j)];
          const float scale = groups.scales[at];
          float* const to = region.to + (i + j) * region.stride + first;
          for (std::int64_t k = 0; k < width; ++k)
            to[k] = static_cast<float>((words[static_cast<std::size_t>(k)] >> shift & 15) - zero) * scale;
        }
        first += width;
      }
      i += count;
    }
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
        const std::int64_t last = std::min(end, (number / of_.block + 1) * of_.block);
        if (number % 2 != 0) *to++ = products[byte_at(number++) & 15];
        for (; number + 2 <= last; number += 2, to += 2) {
          const unsigned pair = byte_at(number);
          to[0] = products[pair >> 4];
          to[1] = products[pair & 15];
        }
        if (number < last) *to++ = products[byte_at(number++) >> 4];
      }
    }
  }

 private:
  unsigned byte_at(std::int64_t number) const {
    return std::to_integer<unsigned>(of_.codes[static_cast<std::size_t>(number / 2)]);
  }

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
