// app/views/start: the card with three things to try. It takes the inspector's place, or a band under the top
// bar if there is no inspector, so that it covers nothing of the picture or the controls.
#pragma once

#include <vector>

#include "app/state/regions/layout.hpp"
#include "app/state/start_state.hpp"

namespace attnscope {

struct Document;     // core/document/document.hpp
struct LayerResult;  // core/engine/result.hpp
struct Scene;

/// Whether the card is shown: in Explore, for a result that keeps all numbers.
bool is_start_shown(const ViewState&, const LayerResult&);
/// The layout with room for the card.
Layout with_start(Layout, const ViewState&);
void draw_start(Scene&, const Box&);

/// Call these before and after everything that may edit the Document in a frame: they tick off steps that
/// were done in any way, and describe the result once it is there. Opening a Document is not a step.
void watch_start(Scene&);
void tick_start(Scene&);

/// The settings that differ from the state before the first step and can be put back: the scaling, the mask.
/// A typed sentence stays.
std::vector<FirstStep> steps_to_put_back(const StartState&, const Document&);

/// Esc and ×: closes the card, which does not open again by itself.
void leave_start(ViewState&);
/// All three again, as on the first launch.
void show_start_again(Scene&);

}  // namespace attnscope
