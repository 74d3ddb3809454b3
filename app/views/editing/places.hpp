// app/views: which number of the Document stands behind a number of the picture, and what to edit where there
// is none.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "app/kit/widgets/number_edit.hpp"
#include "app/scene/scene.hpp"
#include "core/edits/numbers.hpp"

namespace attnscope {

/// A row of a stage of vectors as it is in the picture: head h of the stage's own tensor.
struct VectorRow {
  Stage stage;
  std::int64_t b = 0, h = 0, row = 0;
};

/// The Place of the row's first number; or, where it follows from others, one sentence that says from which.
std::variant<Place, std::string_view> place_of(const LayerResult&, const VectorRow&);
/// Whether what is edited at the Place can be reset.
bool can_reset(const Document&, Editable);

/// Does to the Document what the hand did to a number of a grid. `first` is the Place of the grid's row at
/// column 0, the stretch of the event counts from there. What cannot be done is said in a notice.
void apply(Scene&, const NumberEvent&, const Place& first);

/// The lines of a tooltip over a number: how it is edited, or why it is not.
Tip number_tip(bool can_edit, bool can_reset, std::string_view why_not = {});

}  // namespace attnscope
