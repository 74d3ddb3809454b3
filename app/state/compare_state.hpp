// app/state: how A and B are looked at: the state of the page Compare, which Model's comparison and the shell
// look into as well.
#pragma once

#include <cstdint>
#include <optional>

#include "app/state/page/page_state.hpp"
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

/// What a session keeps of it.
void fields(PageFields&, CompareState&);

inline CompareState& compare_of(ViewState& view) { return pages_of(view).of<CompareState>(); }
inline const CompareState& compare_of(const ViewState& view) { return pages_of(view).of<CompareState>(); }

}  // namespace attnscope
