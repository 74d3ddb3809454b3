#include "app/pages/model/compare/model_compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/pages/model/compare/compared_models.hpp"
#include "app/state/compare_state.hpp"

namespace attnscope {
namespace {

/// A keycap with the key's action beside it. Returns its width.
float draw_hold_key(const Ui& ui, float x, float y, std::string_view key, std::string_view does) {
  const float cap = ui.text_width(key, type::label) + ui.px(16);
  const Box box{x, std::round(y - ui.px(12)), cap, ui.px(24)};
  ui.frame(box, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(4));
  ui.text(box.centre_x(), y, key, {type::label, ui.theme.text1, Ink::Medium, Align::Centre});
  return cap + ui.px(10) + ui.text(box.right() + ui.px(10), y, does, {type::label, ui.theme.text2});
}

/// Says that nothing is held, and the four ways to a comparison.
void draw_no_model_held(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  ui.fill(region, ui.theme.picture);
  const float pad = region_pad(scene);
  const Box line{region.x + pad, region.y, region.w - 2 * pad, title_height(ui)};
  const float choice = draw_screen_choice(scene, line);
  draw_region_title(ui, line, "Compare", {}, choice - ui.px(12));
  constexpr std::array<std::string_view, 4> ways{
      "another text: type in the sentence above", "a change inside: switch something off at the left",
      "another precision or model: open its file, the text stays",
      "another layer: choose the one that is held beside this one"};
  const float width = std::min(line.w, ui.px(520)), x = std::round(region.centre_x() - width / 2);
  const float height = ui.px(36 + 44 + 4 * 24 + 56);
  float y = std::round(std::max(line.bottom() + ui.px(8), region.centre_y() - height / 2));
  ui.text(x, y + ui.px(12), "Nothing of a model is held yet",
          {type::title, ui.theme.text1, Ink::Semibold, Align::Left, width});
  y += ui.px(36);
  y += ui.paragraph(x, y, width,
                    "Hold the model as it is shown; what you do then is compared with it, head by head:",
                    {type::label, ui.theme.text2}) +
       ui.px(6);
  for (const std::string_view way : ways) {
    ui.disc({x + ui.px(5), std::round(y + ui.px(10))}, ui.px(2.5f), ui.theme.b);
    ui.text(x + ui.px(16), y + ui.px(10), way,
            {type::label, ui.theme.text1, Ink::Regular, Align::Left, width - ui.px(16)});
    y += ui.px(24);
  }
  y += ui.px(14);
  const Box press{x, y, ui.text_width("Hold this", type::label, Ink::Medium) + ui.px(32), ui.px(32)};
  if (button(ui, "Hold this", press,
             {"Hold this", {}, "The model as it is shown is held while you go on changing it.", "\\"}))
    scene.requests.hold = true;
  ui.frame(press, ui.theme.query, std::max(1.f, std::floor(ui.scale())), ui.px(6));
  draw_hold_key(ui, press.right() + ui.px(20), press.centre_y(), "\\",
                "holds what is shown, on every screen");
}

}  // namespace

bool draw_model_compare(Scene& scene, const Box& whole) {
  ModelState& state = model_state_of(scene.view);
  const bool is_there = scene.model != nullptr && scene.model->run && scene.document.within.read();
  if (!is_there || state.screen != ModelScreen::Compare) return false;
  const ModelRegions regions = model_regions(scene.ui, whole, scene.compact, scene.view);
  if (has_room(regions.controls)) {
    constexpr std::array<DrawSection, 4> sections{held_section, changes_section, layer_section,
                                                  model_section};
    scene.ui.fill(regions.controls, scene.ui.theme.panel);
    draw_column(scene, regions.controls, sections, state.controls_scroll);
  }
  state.hovered.reset();
  if (scene.held_model == nullptr) {
    draw_no_model_held(scene, {regions.grid.x, regions.grid.y, whole.right() - regions.grid.x, whole.h});
    return true;
  }
  draw_head_distances(scene, regions.grid);
  if (has_room(regions.head)) draw_head_pair(scene, regions.head);
  if (has_room(regions.stream)) draw_compared_tokens(scene, regions.stream);
  if (has_room(regions.prediction)) draw_compared_predictions(scene, regions.prediction);
  return true;
}

void turn_model_difference(Scene& scene) {
  DifferenceKind& kind = compare_of(scene.view).difference;
  kind = kind == DifferenceKind::Magnitude ? DifferenceKind::Signed : DifferenceKind::Magnitude;
}

}  // namespace attnscope
