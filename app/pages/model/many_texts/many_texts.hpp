// app/pages/model: the texts of a file, each run through the model: mean and spread of what its heads
// score and of what zeroing or patching each does, or how alike the texts are to it. One sentence proves
// little.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// Opens the card; says why where no model is open that reads texts.
void open_many_texts(Scene&);
/// The card, while it is open; what it knows of another model goes.
void draw_many_texts(Scene&);

}  // namespace attnscope
