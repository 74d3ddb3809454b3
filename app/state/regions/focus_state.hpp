// app/state/regions: how the focus shows its matrix: which part is in sight, in which colours, as a map or as
// lines. Nothing in here changes a number of the computation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "app/state/page/page_state.hpp"
#include "app/state/selection.hpp"

namespace attnscope {

/// The colour maps of weights; scores and differences have their own, centred on zero.
enum class WeightColours : std::uint8_t { Magma, Viridis, Cividis, Blues, Grey };
inline constexpr int weight_colour_count = 5;

struct FocusState {
  double zoom = 1;            // size of a cell, relative to that at which the whole matrix fits
  double query = 0, key = 0;  // the first row and column in sight, in cells; may be fractions
  bool turned = false;        // keys run down and queries across
  WeightColours colours = WeightColours::Magma;
  bool log = false;        // the colours of weights follow their logarithm
  bool lines = false;      // lines between tokens instead of the map
  bool all_heads = false;  // lines of every head, not only of the chosen one
  float mass = 0.7f;       // lines: each query keeps its strongest keys until their weights reach this share
  double line_row = 0;     // the first token of the lines in sight, in rows
  bool operator==(const FocusState&) const = default;
};

/// The state of a gesture in the focus from frame to frame. No session keeps it.
struct FocusGesture {
  unsigned dragged = 0;  // ID of the dragged item; 0 = none. Its release is no click
  double grip_query = 0,
         grip_key = 0;                          // the cell that the drag keeps under the mouse
  bool fit_or_zoom = false;                     // Z was pressed
  std::optional<std::int64_t> cells_asked_for;  // to be in sight round the chosen one
  std::optional<Cell> seen_cell;  // the chosen cell of the frame before: another one is scrolled into sight
  std::optional<std::array<float, 2>> bar;  // the ends of the colour bar when the drag of a handle began
};

/// Visits the fields that a session keeps; of a gesture none.
void fields(PageFields&, FocusState&);
void fields(PageFields&, FocusGesture&);

inline FocusState& focus_of(ViewState& view) { return pages_of(view).of<FocusState>(); }
inline const FocusState& focus_of(const ViewState& view) { return pages_of(view).of<FocusState>(); }
inline FocusGesture& focus_gesture_of(ViewState& view) { return pages_of(view).of<FocusGesture>(); }
inline const FocusGesture& focus_gesture_of(const ViewState& view) {
  return pages_of(view).of<FocusGesture>();
}

}  // namespace attnscope
