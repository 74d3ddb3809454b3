// app/state/regions: what the hand is doing: which block of weights is open, which number is typed into, how
// the mask's brush paints. Nothing in here changes a number of the computation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/kit/widgets/number_edit.hpp"
#include "app/kit/widgets/zoom.hpp"
#include "app/state/page/page_state.hpp"
#include "app/state/selection.hpp"
#include "core/analysis/value_range.hpp"
#include "core/edits/numbers.hpp"

namespace attnscope {

/// The stroke of the mask's brush, from press to release.
struct MaskStroke {
  bool hides = true;          // decided by the first cell
  std::int64_t sequence = 0;  // where it began
  Cell last;
};

struct EditingState {
  NumberEditing numbers;    // the one number in the window that is edited
  std::uint64_t began = 0;  // its count, and the Document as it was then, for Esc
  Document before;
  std::uint64_t noises = 0;         // rows that became noise: each draws its own
  std::optional<Editable> weights;  // a block that the focus shows instead of a stage
  std::string zoomed;               // what `across` and `down` belong to
  ZoomRange across, down;           // of the columns and rows of vectors and weights
  TensorPtr shown;                  // the block that was drawn last, kept so that its address is its own,
  std::uint64_t shown_count = 0;    // and how many were before it
  MatrixPart measured;              // the part of it whose largest magnitude is known,
  float largest = -1;               // and that; below 0: of none
  bool painting = false;            // the mouse paints the mask in the focus
  bool all_heads = false;           // what the brush reaches: all heads, or the chosen one
  std::optional<MaskStroke> stroke;
};

/// What a session keeps of it.
void fields(PageFields&, EditingState&);

inline EditingState& editing_of(ViewState& view) { return pages_of(view).of<EditingState>(); }
inline const EditingState& editing_of(const ViewState& view) { return pages_of(view).of<EditingState>(); }

}  // namespace attnscope
