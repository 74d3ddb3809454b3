// app/state/regions: how the focus looks at its matrix: which part is in sight, in which colours, as a map or
// as lines. Nothing in here changes a number of the computation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "app/state/page/page_state.hpp"
#include "app/state/selection.hpp"

namespace attnscope {

/// The colours of weights; scores and differences have their own, centred on zero.
enum class WeightColours : std::uint8_t { Magma, Viridis, Cividis, Blues, Grey };
inline constexpr int weight_colour_count = 5;

struct FocusState {
  double zoom = 1;            // cells are so many times as large as when the whole matrix fits
  double query = 0, key = 0;  // the first ones in sight, in cells; fractions where it was dragged
  bool turned = false;        // keys run down and queries across
  WeightColours colours = WeightColours::Magma;
  bool log = false;        // the colours of weights follow their logarithm
  bool lines = false;      // lines between tokens instead of the map
  bool all_heads = false;  // lines of every head, not only of the chosen one
  float mass = 0.7f;       // each query keeps its strongest keys until this share of its weight is drawn
  double line_row = 0;     // the first token of the lines in sight, in rows
  bool operator==(const FocusState&) const = default;
};

/// What a gesture in the focus needs from one frame to the next. Nothing to save.
struct FocusGesture {
  unsigned dragged = 0;                 // ID of what a drag moves; 0 = nothing. Its release is no click
  double grip_query = 0, grip_key = 0;  // the place in the matrix that the mouse holds
  bool fit_or_zoom = false;             // Z was pressed
  std::optional<std::int64_t> cells_asked_for;  // so many round the chosen one are to be in sight
  std::optional<Cell> seen_cell;  // the chosen cell of the frame before: a new one is brought into sight
  std::optional<std::array<float, 2>> bar;  // the ends of the colour bar when a handle was taken
};

/// What a session keeps of it; of a gesture nothing.
void fields(PageFields&, FocusState&);
void fields(PageFields&, FocusGesture&);

inline FocusState& focus_of(ViewState& view) { return pages_of(view).of<FocusState>(); }
inline const FocusState& focus_of(const ViewState& view) { return pages_of(view).of<FocusState>(); }
inline FocusGesture& focus_gesture_of(ViewState& view) { return pages_of(view).of<FocusGesture>(); }
inline const FocusGesture& focus_gesture_of(const ViewState& view) {
  return pages_of(view).of<FocusGesture>();
}

}  // namespace attnscope
