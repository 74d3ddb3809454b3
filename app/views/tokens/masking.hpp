// app/views/tokens: a word of an encoder's text is masked by a gesture on its chip, and put back.
#pragma once

#include <cstdint>

#include "app/scene/scene.hpp"

namespace attnscope {

/// Masks the word that a row's token is of, or puts it back, and asks for the prediction of that row. What is
/// refused is said in a message.
void toggle_mask(Scene&, std::int64_t row);
/// The same for the token that is looked at.
void toggle_mask_of_chosen(Scene&);

/// A token was chosen: where the model says something of each token, or fills masks and this is one, that row
/// is what is predicted.
void predict_row_of(Scene&, std::int64_t row);

/// Alt-click and the menu of a right click on the chip of a row, where the model fills masks. True when the
/// click was taken.
bool take_masking(Scene&, const Ui::Touch&, std::int64_t row);

}  // namespace attnscope
