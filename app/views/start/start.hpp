// app/views/start: the card with three things to try. It takes the inspector's place, or a band under the top
// bar where there is no inspector, so that nothing of the picture or the controls is covered.
#pragma once

#include <vector>

#include "app/scene/scene.hpp"
#include "app/state/layout.hpp"
#include "app/state/start_state.hpp"

namespace attnscope {

/// Whether the card is there: in Explore, of a result whose every number is kept.
bool is_start_shown(const ViewState&, const LayerResult&);
/// The layout with room for the card.
Layout with_start(Layout, const ViewState&);
void draw_start(Scene&, const Box&);

/// Around everything that may edit the Document in a frame: ticks off what was done, by whatever way, and
/// says what came of it once the result is there. What was opened is not something done.
void watch_start(Scene&);
void tick_start(Scene&);

/// What stands otherwise than before the first of the steps was taken, and can be put back: the scaling, the
/// mask. A sentence that was typed stays.
std::vector<FirstStep> steps_to_put_back(const StartState&, const Document&);

/// Esc and ×: the card goes and does not come back by itself.
void leave_start(ViewState&);
/// All three again, as on the first launch.
void show_start_again(Scene&);

}  // namespace attnscope
