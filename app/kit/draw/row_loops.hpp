// app/kit/draw: the loops over every cell of a matrix, row by row and without a branch, so that the compiler
// turns them into vector instructions. Pictures and colour bars of large matrices use them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace attnscope {

/// What a cell is beyond its number; decides its mark. Those whose last bit is set show no number.
enum class CellKind : unsigned char {
  Number = 0,     // coloured by its value; NaN and infinity are seen in the value
  Masked = 1,     // hidden by the mask: diagonal hatch, screen-fixed
  Underflow = 2,  // allowed, but the weight came out as exactly 0: zero colour with a dot
  NoKey = 3,      // its whole row has no allowed key: hatch with a line through the row
};
inline bool shows_number(CellKind kind) { return (static_cast<unsigned>(kind) & 1u) == 0; }

/// The rule that turns a row's values and its mask into kinds.
struct KindRule {
  bool zero_is_underflow = false;  // an allowed cell that is exactly 0 is an Underflow
  bool leaks_are_numbers = false;  // a hidden cell that has a weight, not 0 or NaN, is a Number
  CellKind hidden = CellKind::Masked;
};
/// kinds[i] for every cell of a row; seen[i] is 0 where the mask hides the cell.
void kinds_of_row(std::span<const float> values, std::span<const std::uint8_t> seen, KindRule rule,
                  std::span<CellKind> kinds);

/// Pools rows of a matrix into one, column by column: the largest magnitude of either sign and which kinds
/// occurred. Cells that show no number are ignored.
class ColumnPool {
 public:
  explicit ColumnPool(std::size_t columns) : up_(columns), down_(columns), met_(columns) {}
  void clear();
  void add(std::span<const float> values, std::span<const CellKind> kinds);

  struct Pooled {
    CellKind kind = CellKind::Number;
    float value = 0;
  };
  /// Pools columns [begin, end): the largest |value|, the positive one of two equals; NaN before infinity
  /// before any number. Masked if no cell shows a number and at least one is masked, NoKey if all are NoKey;
  /// Underflow if every number is an Underflow.
  Pooled over(std::size_t begin, std::size_t end) const;

 private:
  // Magnitudes as the bits of floats, which have the order of the floats; 0 if there was none.
  std::vector<std::int32_t> up_, down_;
  std::vector<std::uint8_t> met_;
};

}  // namespace attnscope
