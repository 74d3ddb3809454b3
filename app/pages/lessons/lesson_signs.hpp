// app/pages/lessons: small signs of what a lesson needs: a model, and time to train.
#pragma once

#include "app/kit/ui/ui.hpp"

namespace attnscope {

/// A diamond: needs a model that does not come with the program.
void draw_model_sign(const Ui&, ImVec2 centre, Rgba colour);
/// An arrow in a circle: trains while one watches.
void draw_trains_sign(const Ui&, ImVec2 centre, Rgba colour);

}  // namespace attnscope
