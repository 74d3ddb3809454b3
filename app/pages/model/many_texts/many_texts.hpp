// app/pages/model: the texts of a file, each run through the model: mean and spread of the heads' scores and
// of the effects of zeroing or patching each, or the similarity of the texts. One sentence proves little.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// Opens the card, or says why it cannot: no open model reads texts.
void open_many_texts(Scene&);
/// Draws the card while it is open; drops results of another model.
void draw_many_texts(Scene&);

}  // namespace attnscope
