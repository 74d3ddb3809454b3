#include "app/pages/model/acts.hpp"

#include "app/pages/model/generation/generation.hpp"
#include "app/pages/model/parts/parts.hpp"
#include "app/pages/model/why/why.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {

void open_layer(Scene& scene) { scene.view.mode = Mode::Explore; }

void toggle_why(Scene& scene) { toggle_screen(scene, ModelScreen::Why); }
void toggle_atlas(Scene& scene) { toggle_screen(scene, ModelScreen::Atlas); }
void toggle_patching(Scene& scene) { toggle_screen(scene, ModelScreen::Patching); }
void toggle_generation(Scene& scene) { toggle_screen(scene, ModelScreen::Generation); }

void space_in_model(Scene& scene) {
  if (!generation_forward(scene)) go_to_marked_part(scene);
}

}  // namespace attnscope
