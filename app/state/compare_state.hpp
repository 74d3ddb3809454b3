// app/state: how A and B are looked at.
#pragma once

#include <cstdint>
#include <optional>

#include "app/state/selection.hpp"

namespace attnscope {

/// What the third picture shows: A − B, |A − B|, or how many times as large A is.
enum class DifferenceKind : std::uint8_t { Signed, Magnitude, Ratio };

struct CompareState {
  DifferenceKind difference = DifferenceKind::Signed;
  std::int64_t held_head = -1;       // of what is held, beside the chosen head of now; -1: the same
  std::optional<Cell> hovered_in_b;  // where B has other tokens than A: the cell the mouse is on there
  bool operator==(const CompareState&) const = default;
};

}  // namespace attnscope
