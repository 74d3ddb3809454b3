// app/views: the number of the Document behind a number on screen, or what to edit instead if it is computed.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "app/kit/widgets/number_edit.hpp"
#include "app/scene/scene.hpp"
#include "core/edits/numbers.hpp"

namespace attnscope {

/// A row of a stage of vectors; h: a head of the stage's own tensor.
struct VectorRow {
  Stage stage;
  std::int64_t b = 0, h = 0, row = 0;
};

/// The Place of the row's first number; if the row is computed, one sentence that says from what.
std::variant<Place, std::string_view> place_of(const LayerResult&, const VectorRow&);
/// Whether numbers of the block can be reset.
bool can_reset(const Document&, Editable);

/// Applies an edit in a grid to the Document. `first`: the Place of column 0 of the edited row; the event's
/// stretch counts from it. If the edit is refused, the Document stays and a notice says why.
void apply(Scene&, const NumberEvent&, const Place& first);

/// The tooltip of a number: how to edit it, or why it cannot be edited.
Tip number_tip(bool can_edit, bool can_reset, std::string_view why_not = {});

}  // namespace attnscope
