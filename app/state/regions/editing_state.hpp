// app/state/regions: the state of editing: which block of weights is open, which number is edited, how the
// mask's brush paints. Nothing in here changes a number of the computation.
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
  bool hides = true;          // masks or unmasks; the first cell decides
  std::int64_t sequence = 0;  // the sequence it began in
  Cell last;
};

struct EditingState {
  NumberEditing numbers;    // the one number in the window that is edited
  std::uint64_t began = 0;  // numbers.count of the last edit, and the Document before it, which Esc restores
  Document before;
  std::uint64_t noises = 0;         // number of rows filled with noise so far: each draws other numbers
  std::optional<Editable> weights;  // the block that the focus shows instead of a stage
  std::string zoomed;               // the matrix that `across` and `down` belong to
  ZoomRange across, down;           // the columns and rows in sight
  TensorPtr shown;                  // the block drawn last, kept so that no other block gets its address,
  std::uint64_t shown_count = 0;    // and the number of blocks drawn so far
  MatrixPart measured;              // the part of `shown` whose largest magnitude is known,
  float largest = -1;               // and that magnitude; below 0: not measured
  bool painting = false;            // the mouse paints the mask in the focus
  bool all_heads = false;           // the brush paints all heads, else the chosen one
  std::optional<MaskStroke> stroke;
};

/// Visits the fields that a session keeps.
void fields(PageFields&, EditingState&);

inline EditingState& editing_of(ViewState& view) { return pages_of(view).of<EditingState>(); }
inline const EditingState& editing_of(const ViewState& view) { return pages_of(view).of<EditingState>(); }

}  // namespace attnscope
