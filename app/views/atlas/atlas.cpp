#include "app/views/atlas/atlas.hpp"

#include <array>

#include "app/kit/ui/number_format.hpp"
#include "app/views/atlas/head_numbers.hpp"
#include "app/views/atlas/parts.hpp"

namespace attnscope {
namespace {

void show_or_leave(Scene& scene, ModelScreen screen) {
  if (scene.model == nullptr) return scene.view.notices.say("No model is open.");
  ModelScreen& now = scene.view.model->screen;
  now = now == screen ? ModelScreen::Heads : screen;
}

}  // namespace

bool draw_atlas(Scene& scene, const Box& whole) {
  ModelState& state = *scene.view.model;
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

void toggle_atlas(Scene& scene) { show_or_leave(scene, ModelScreen::Atlas); }
void toggle_patching(Scene& scene) { show_or_leave(scene, ModelScreen::Patching); }

Box list_part(const Scene& scene, const Box& area) {
  const float wide = scene.ui.px(scene.compact ? 236 : 308);
  if (area.w < 2 * wide) return {area.right(), area.y, 0, area.h};
  // The scrollbar of a list stands beyond its right edge.
  return {area.right() - wide, area.y, wide - scene.ui.px(10), area.h};
}

}  // namespace attnscope
