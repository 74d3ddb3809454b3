#include "app/pages/model/heads/model.hpp"

#include <algorithm>
#include <utility>

#include "app/pages/model/why/why.hpp"
#include "app/state/files_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/files/menu_column.hpp"
#include "app/views/picture/picture.hpp"
#include "app/views/watch/watch.hpp"

namespace attnscope {

void show_model_page(Scene& scene) {
  if (scene.view.mode == Mode::Model)
    scene.view.watch->on = !scene.view.watch->on && has_watched_beside(scene);
  scene.view.mode = Mode::Model;
}

void draw_no_model(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  FilesState& files = *scene.view.files;
  if (!std::exchange(files.sought_models, true)) scene.requests.look_for_models = true;
  const float row = ui.px(28), room = box.h - ui.px(194);
  const std::size_t fitting = room < 2 * row ? 0 : static_cast<std::size_t>(room / row) - 1;
  const std::size_t shown = std::min({fitting, files.models.size(), std::size_t{16}});
  const float height = ui.px(124) + (files.model_behind ? ui.px(44) : 0) +
                       (shown == 0 ? 0 : static_cast<float>(shown + 2) * row);
  float y = std::max(box.y + ui.px(24), box.centre_y() - height / 2);
  ui.fill(box, ui.theme.canvas);
  ui.text(box.centre_x(), y, "No model is open",
          {type::title, ui.theme.text1, Ink::Semibold, Align::Centre, box.w - ui.px(32)});
  y += ui.px(30);
  ui.text(box.centre_x(), y, "Drop a Hugging Face folder or a .gguf file here, or choose one with Ctrl+O.",
          {type::body, ui.theme.text2, Ink::Regular, Align::Centre, box.w - ui.px(32)});
  y += ui.px(26);
  if (files.model_behind) {
    const Box back{box.centre_x() - ui.px(90), y, ui.px(180), ui.px(30)};
    if (button(ui, "Back to the model", back,
               {"Back to the model", {}, "Undo, to where a model was open; redo returns.", "Ctrl+Z"}))
      scene.requests.back_to_model = true;
    y += ui.px(44);
  }
  const std::string_view watch = "Watch a Python process";
  const float watch_wide = ui.text_width(watch, type::label, Ink::Medium) + ui.px(32);
  if (button(ui, "Watch", {box.centre_x() - watch_wide / 2, y, watch_wide, ui.px(30)},
             {watch, "attnscope.watch(model)", "The heads of a model that runs in Python, pass by pass.", {}},
             watch))
    scene.view.watch->on = true;
  y += ui.px(44);
  if (shown == 0) return;
  const float wide = std::min(ui.px(440), box.w - ui.px(32));
  MenuColumn column(ui, box.centre_x() - wide / 2, y, wide);
  list_models(scene, column, shown);
}

void draw_model_controls(Scene& scene, const Box& region) {
  constexpr DrawSection wide[] = {model_section, text_section, changes_section, colours_section,
                                  layer_section};
  constexpr DrawSection compact[] = {model_section, text_section, changes_section, colours_section,
                                     layer_section};
  constexpr DrawSection why[] = {model_section, changes_section, split_section,
                                 norms_section, logit_section,   path_section};
  scene.ui.fill(region, scene.ui.theme.panel);
  if (model_state_of(scene.view).screen == ModelScreen::Why)
    return draw_column(scene, region, why, model_state_of(scene.view).controls_scroll);
  draw_column(scene, region, scene.compact ? compact : wide, model_state_of(scene.view).controls_scroll);
}

void draw_model(Scene& scene, const Box& box) {
  ModelState& state = model_state_of(scene.view);
  state.picture.is_there = looks_at_picture(scene);
  const ModelRegions regions = model_regions(scene.ui, box, scene.compact, scene.view);
  if (has_room(regions.controls)) draw_model_controls(scene, regions.controls);
  if (state.screen == ModelScreen::Why) {
    draw_model_why(scene, regions);
    if (state.split.path && has_room(regions.stream)) {
      const Box low{regions.stream.x, regions.stream.y, regions.stream.w + regions.prediction.w,
                    regions.stream.h};
      return draw_why_path(scene, shown_why(scene), low);
    }
  } else {
    draw_model_grid(scene, regions.grid);
    if (has_room(regions.head)) draw_model_head(scene, regions.head);
  }
  const bool picture = state.picture.is_there && state.picture.shown;
  if (has_room(regions.stream))
    picture ? draw_model_picture(scene, regions.stream) : draw_model_stream(scene, regions.stream);
  if (has_room(regions.prediction)) draw_model_prediction(scene, regions.prediction);
}

}  // namespace attnscope
