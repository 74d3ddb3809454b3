// app/views/tokens: masking a word of an encoder's text by its chip, and restoring it.
#pragma once

#include <cstdint>

#include "app/scene/scene.hpp"

namespace attnscope {

/// Masks the word of a row's token and shows the prediction of that row, or restores the word. A message says
/// why it is refused.
void toggle_mask(Scene&, std::int64_t row);
/// The same for the chosen query.
void toggle_mask_of_chosen(Scene&);

/// Called when a token is chosen: shows the prediction of its row if the model classifies tokens, or if it
/// fills masks and the token is one.
void predict_row_of(Scene&, std::int64_t row);

/// Alt+click and the right-click menu on the chip of a row, if the model fills masks; else a message says why
/// not, except for classifiers and question answering. True if the click was used.
bool take_masking(Scene&, const Ui::Touch&, std::int64_t row);

}  // namespace attnscope
