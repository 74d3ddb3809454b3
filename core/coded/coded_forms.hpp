// core/coded: weights whose codes and scales lie in several tensors of a file, as quantised folders of
// Hugging Face have them: the forms, each widened a region at a time where it lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/coded_weights.hpp"
#include "core/base/element_type.hpp"

namespace attnscope {

/// A matrix of single numbers in a file: scales.
struct StoredScales {
  ElementType type = ElementType::Float32;  // Float32, Float16 or BFloat16
  std::span<const std::byte> bytes;
  std::int64_t rows = 0, columns = 0;

  bool empty() const { return rows * columns == 0; }
  /// Numbers [first, first + to.size()) of a row.
  void read(std::int64_t row, std::int64_t first, std::span<float> to) const {
    const auto size = static_cast<std::size_t>(block_of(type).bytes);
    attnscope::widen(
        type, bytes.subspan(static_cast<std::size_t>(row * columns + first) * size, to.size() * size), to);
  }
};

/// What the library of a format rounds its products to.
enum class ProductRounding : std::uint8_t { None, BFloat16, Float16 };
void round_products(ProductRounding, std::span<float>);
/// Codes of four bits from index `first` of a row on, low ones of a byte first, as indices of `values`.
void widen_nibbles(const std::uint8_t* row, std::int64_t first, std::span<const float, 16> values,
                   std::span<float> to);

/// Codes of a row lie one behind another; scales are those of blocks of rows and columns.
struct RowCodesSettings {
  enum class Kind : std::uint8_t {
    E4M3,      // float8 with four bits of exponent, 0x7f is NaN
    E5M2,      // float8 with five bits of exponent
    Int8,      // whole numbers with a sign
    Unsigned,  // `bits` each, lowest bits of a byte first, less `offset`
    E2M1,      // floats of four bits, as in MXFP4
  };
  Kind kind = Kind::Int8;
  int bits = 8;
  float offset = 0;
  std::span<const std::byte> codes;
  std::int64_t row_bytes = 0;
  StoredScales scales;
  float scale_factor = 1;                // multiplies every scale
  std::span<const std::byte> exponents;  // E2M1: of the scales 2^(byte - 127), as many as blocks
  StoredScales biases;                   // none, or added to the products, as many as scales
  std::int64_t block_rows = 1, block_columns = 1;
  ProductRounding rounding = ProductRounding::None;
};
std::shared_ptr<const CodedWeights> row_codes(std::string name, const RowCodesSettings&);

/// Words of 32 bits that hold several codes of one column or row; scale and zero by groups of columns.
struct WordCodesSettings {
  enum class Order : std::uint8_t {
    Gptq,  // a word has the codes of 32 / bits columns of a row; words [columns / them][rows]
    Awq,   // a word has those of 8 rows of a column, in AWQ's order; words [columns][rows / 8]
  };
  Order order = Order::Gptq;
  int bits = 4;
  std::int64_t rows = 0, columns = 0;
  std::span<const std::byte> words;
  std::span<const std::byte> zeros;  // words [groups][rows · bits / 32], in the order of rows
  int added_to_zero = 0;
  StoredScales scales;               // [groups][rows]
  std::vector<std::int32_t> groups;  // of each column
};
std::shared_ptr<const CodedWeights> word_codes(std::string name, WordCodesSettings);

/// Four bits, high ones first, as indices of a table; blocks of numbers one behind another, across rows.
struct TableCodesSettings {
  std::int64_t rows = 0, columns = 0;
  std::span<const std::byte> codes;
  std::vector<float> table;  // 16 values
  std::int64_t block = 64;
  /// The scale of each block; or indices of a table of scales, times the factor of every `outer_block`
  /// scales, plus an offset.
  StoredScales scales;
  std::span<const std::byte> scale_codes;
  std::vector<float> scale_table, factors;
  std::int64_t outer_block = 256;
  float offset = 0;
  ProductRounding rounding = ProductRounding::None;
};
std::shared_ptr<const CodedWeights> table_codes(std::string name, TableCodesSettings);

}  // namespace attnscope
