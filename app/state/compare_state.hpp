// app/state: the state of the page Compare: how A and B are shown. The comparison of the page Model and the
// shell read it too.
#pragma once

#include <cstdint>
#include <optional>

#include "app/state/page/page_state.hpp"
#include "app/state/selection.hpp"

namespace attnscope {

/// What the third picture shows: A − B, |A − B|, or log2 |A| / |B|.
enum class DifferenceKind : std::uint8_t { Signed, Magnitude, Ratio };

struct CompareState {
  DifferenceKind difference = DifferenceKind::Signed;
  std::int64_t held_head = -1;       // the head of B beside the chosen head of A; -1: the same index
  std::optional<Cell> hovered_in_b;  // the cell of B under the mouse, where B has other tokens than A
  bool operator==(const CompareState&) const = default;
};

/// Visits the fields that a session keeps.
void fields(PageFields&, CompareState&);

inline CompareState& compare_of(ViewState& view) { return pages_of(view).of<CompareState>(); }
inline const CompareState& compare_of(const ViewState& view) { return pages_of(view).of<CompareState>(); }

}  // namespace attnscope
