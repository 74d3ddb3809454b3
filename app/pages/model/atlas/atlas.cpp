#include "app/pages/model/atlas/atlas.hpp"

#include <array>

#include "app/pages/model/atlas/parts.hpp"
#include "app/views/atlas/pruning.hpp"

namespace attnscope {

bool draw_atlas(Scene& scene, const Box& whole) {
  ModelState& state = model_state_of(scene.view);
  const bool is_effects = state.screen == ModelScreen::Atlas,
             is_patching = state.screen == ModelScreen::Patching;
  const bool is_there = scene.model != nullptr && scene.model->run && scene.document.within.read();
  if (!is_there || (!is_effects && !is_patching)) return false;
  if (is_patching) begin_patching(scene);
  const ModelRegions regions = model_regions(scene.ui, whole, scene.compact, scene.view);
  if (has_room(regions.controls)) {
    constexpr std::array<DrawSection, 4> of_effects{model_section, changes_section, effects_section,
                                                    layer_section};
    constexpr std::array<DrawSection, 5> of_patching{model_section, pair_section, answers_section,
                                                     changes_section, layer_section};
    scene.ui.fill(regions.controls, scene.ui.theme.panel);
    if (is_effects)
      draw_column(scene, regions.controls, of_effects, state.controls_scroll);
    else
      draw_column(scene, regions.controls, of_patching, state.controls_scroll);
  }
  state.hovered.reset();
  is_effects ? draw_effects(scene, regions.grid) : draw_patched_heads(scene, regions.grid);
  if (has_room(regions.stream))
    is_effects ? draw_pruning(scene, regions.stream) : draw_patched_rows(scene, regions.stream);
  if (has_room(regions.head)) draw_model_head(scene, regions.head);
  if (has_room(regions.prediction)) draw_model_prediction(scene, regions.prediction);
  return true;
}

}  // namespace attnscope
