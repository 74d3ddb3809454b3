// app/pages/lessons: the picture of a lesson that uses a model: all its heads small, one of them large, its
// prediction. If the model is not on this computer: its file and how to get it.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/lessons/model_numbers.hpp"
#include "app/pages/lessons/step/parts.hpp"
#include "app/state/model_look.hpp"
#include "app/views/atlas/pruning.hpp"
#include "app/views/model/grid_colours.hpp"
#include "app/views/model/grid_regions.hpp"
#include "app/views/model/parts.hpp"
#include "app/views/parts/heat_map.hpp"
#include "app/views/parts/map_frame.hpp"
#include "app/views/picture/picture.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {
namespace {

using lessons::ShownLessonModel;

/// The least height of a head's cells, in logical pixels.
constexpr float readable_map = 110;

/// Writes in the middle of the picture's place.
void say_in_place(const Ui& ui, const Box& box, std::string_view title, std::string_view words) {
  const float y = box.y + std::round(box.h * 0.36f), room = box.w - ui.px(48);
  ui.text(box.centre_x(), y, title, {type::title, ui.theme.text1, Ink::Semibold, Align::Centre, room});
  ui.text(box.centre_x(), y + ui.px(30), words,
          {type::body, ui.theme.text2, Ink::Regular, Align::Centre, room});
}

/// Says which file is missing, its size, and the command that fetches it.
void draw_absent_model(LessonPage& page, const Box& box, const ShownLessonModel& model) {
  const Ui& ui = page.ui();
  if (model.is == nullptr)
    return say_in_place(ui, box, own(model.name) + " is not there",
                        "The lesson names it as a path, from the lesson's own folder.");
  const float wide = std::min(box.w - ui.px(page.narrow ? 28 : 48), ui.px(560));
  const float x = std::round(box.centre_x() - wide / 2);
  // In presenter mode there is less height: the button must stay above the keys.
  const bool low = box.h < ui.px(400);
  float y = box.y + std::round(low ? ui.px(12) : std::max(ui.px(24), box.h * 0.16f));
  const float size = page.narrow ? type::tick : type::body;
  const auto paragraph = [&](std::string_view words, Rgba colour) {
    const TextStyle style{size, colour};
    y += ui.paragraph(x, y, wide, words, style) + ui.px(10);
  };
  const std::string title = own(std::string(model.is->title)) + " is not on this computer";
  ui.text(x, y, title, {type::title, ui.theme.text1, Ink::Semibold, Align::Left, wide});
  y += ui.px(26);
  if (!page.narrow)
    paragraph("The lesson can be read without it; pictures and numbers of its steps come with the model.",
              ui.theme.text2);
  const std::string file = own(std::string(model.is->file)) + ", " + own(std::string(model.is->size));
  paragraph(file, ui.theme.text1);
  paragraph("Each of these commands gets it, the first from the program's own folder:", ui.theme.text2);
  for (const std::string_view command : model.is->commands) {
    const Box line{x, y, wide, ui.px(34)};
    ui.fill(line, ui.theme.control, ui.px(6));
    ui.text(line.x + ui.px(12), line.centre_y(), own(std::string(command)),
            {type::label, ui.theme.text1, Ink::Mono, Align::Left, wide - ui.px(24)});
    y = line.bottom() + ui.px(8);
  }
  y += ui.px(6);
  paragraph("Or drop its file or folder on the window and come back here.", ui.theme.text2);
  const Box again{x, y + ui.px(4), ui.px(128), ui.px(32)};
  if (button(ui, "Look again", again,
             {"Look again", {}, "Looks where the menu looks for models, and in build/models.", {}}))
    page.scene.requests.look_for_lesson_model = true;
  if (model.looked_again)
    ui.text(again.right() + ui.px(12), again.centre_y(), "It was looked for again and is still not there.",
            {type::label, ui.theme.text1, Ink::Regular, Align::Left, x + wide - again.right() - ui.px(12)});
}

/// At the beginning of a step scrolls to its head.
void make_step_visible(const LessonPage& page, const GridFrame& grid) {
  const GridPlan::Cell* const cell = find_cell(grid.plan, grid.chosen);
  if (!std::exchange(page.moments().grid_due, false) || cell == nullptr) return;
  const float down = cell->box.centre_y() - grid.plan.window.centre_y();
  grid.state.grid_scroll = std::max(0.f, grid.state.grid_scroll + down / grid.ui.scale());
}

/// Covers the small picture of the head whose large one is covered, as it shows the same weights.
void cover_small_picture(const LessonPage& page, const GridFrame& grid) {
  const GridPlan::Cell* const cell = find_cell(grid.plan, grid.chosen);
  if (!page.hides() || cell == nullptr || grid.state.colour != HeadColour::Pattern) return;
  if (change_of_head(grid.changes, grid.chosen) != nullptr) return;  // its cell says only that it is zeroed
  const Ui& ui = page.ui();
  ui.fill(cell->box, ui.theme.hatch_ground, ui.px(3));
  ui.text(cell->box.centre_x(), cell->box.centre_y(), "?",
          {type::tick, ui.theme.border, Ink::Semibold, Align::Centre});
}

/// The grid without its controls. It has the column of effects if the step has them computed.
void draw_lesson_grid(const LessonPage& page, const Box& region) {
  Scene& scene = page.scene;
  const Ui& ui = scene.ui;
  model_look_of(scene.view).layer_effects = lessons::wants_of(page.step).effects;
  make_step_visible(page, GridFrame(scene, region));
  GridFrame grid(scene, region);
  ui.fill(region, ui.theme.picture);
  ui.clip(region);
  const float y = grid.title.y + ui.px(22);
  const ColourScale scale = grid_scale(grid);
  const GridEnds ends = grid_ends(grid);
  const float left = draw_small_ramp(ui, "lesson grid ramp", grid.title.right(), y, scale, scale.high,
                                     ends.low, ends.high, ui.px(scene.compact ? 40 : 64));
  const std::string note = grid_note(grid), first = note.substr(0, note.find("  ·  "));
  const float room = left - ui.px(24) - grid.title.x - ui.text_width("All heads", type::body, Ink::Semibold);
  // A cut note about the colours would be of no use, and the step's own words say the same.
  const bool fits = !scene.compact && ui.text_width(first, type::tick) <= room;
  draw_region_title(ui, grid.title, "All heads", fits ? note : std::string(), left - ui.px(12));
  draw_grid_columns(grid);
  ui.clip(grid.clip());
  point_at_grid(grid);
  draw_grid_layers(grid);
  draw_grid_cells(grid);
  cover_small_picture(page, grid);
  ui.unclip();
  draw_grid_scroll(grid);
  ui.unclip();
  model_look_of(scene.view).layer_effects = true;
}

/// In a low window some labels are left out, as all would leave cells too small to read.
HeatMapStyle style_of_head(Scene& scene, const Box& map) {
  HeatMapStyle style{.wide_strip = false, .strips = false};
  if (scene.result.is_long()) return style;
  const float with_names = plan_map(scene, map, 0, style).cells.h;
  style.all_names = false;
  const float most = plan_map(scene, map, 0, style).cells.h;
  style.all_names = with_names >= scene.ui.px(readable_map) || most < 1.2f * with_names;
  return style;
}

/// Whether a change of the head, or of its whole layer, zeroes its output.
bool gives_zero(const ModelChanges& changes, const ModelHead& head) {
  const HeadChange* const alone = change_of_head(changes, head);
  const BlockChange* const layer = change_of_block(changes, head.of, head.block);
  return (alone != nullptr && alone->kind == HeadChange::Kind::Zero) ||
         (layer != nullptr && layer->attention_off);
}

std::string name_of_head(const Scene& scene) {
  const ModelHead head = shown_head(scene);
  const ModelSpec& spec = scene.model->within.model->model->spec;
  return layer_name(spec, head.of, head.block) + " · Head " + std::to_string(head.head);
}

/// The head's number and name, and whether it is zeroed; in a narrow room its tab has the name. Returns the
/// height.
float draw_title_of_head(const LessonPage& page, const Box& region) {
  const Scene& scene = page.scene;
  const Ui& ui = scene.ui;
  const float pad = region_pad(scene), y = region.y + ui.px(page.narrow ? 12 : 22);
  const ModelHead head = shown_head(scene);
  const float right = region.right() - pad;
  float x = region.x + pad;
  if (!page.narrow) {
    const std::string number = std::to_string(head.head);
    const float wide = std::max(ui.px(18), ui.text_width(number, type::tick, Ink::Semibold) + ui.px(8));
    const Rgba hue = ui.theme.head(head.head);
    badge(ui, {x, std::round(y - ui.px(8)), wide, ui.px(16)}, number, hue, ink_on(hue));
    x += wide + ui.px(8);
    x += ui.text(x, y, name_of_head(scene),
                 {type::body, ui.theme.text1, Ink::Semibold, Align::Left, right - x}) +
         ui.px(12);
  }
  // The picture still shows the weights that the head computes.
  const bool zero = gives_zero(shown_changes(scene), head);
  if (zero && right - x > ui.px(60))
    ui.text(right, y, "zeroed: what it gives is 0",
            {type::label, ui.theme.text2, Ink::Regular, Align::Right, right - x});
  return page.narrow ? ui.px(zero ? 24 : 4) : title_height(ui);
}

void draw_lesson_head(const LessonPage& page, const Box& region) {
  Scene& scene = page.scene;
  const Ui& ui = scene.ui;
  ui.fill(region, ui.theme.panel);
  ui.vertical(region.x, region.y, region.h, ui.theme.hairline);
  const float title = draw_title_of_head(page, region), side = ui.px(scene.compact ? 8 : 12);
  const Box map{region.x + side, region.y + title, region.w - 2 * side, region.h - title - ui.px(8)};
  if (page.hides()) return draw_lesson_lid(page, map, ui.theme.border);
  if (map.h < ui.px(80)) return;
  const HeatMapStyle style = style_of_head(scene, map);
  draw_model_head_picture(scene, map, style.all_names);
  // Words of the prose refer to rows and keys of the layer on screen.
  if (!page.pointed || !is_layer_on_screen(scene)) return;
  const MapFrame frame = plan_map(scene, map, 0, style);
  if (frame.cells.w >= 1) ring_lesson_word(frame, *page.pointed);
}

/// The height of the lower part: the prediction and what is beside it.
float lower_height(const LessonPage& page, const Box& box) {
  const Ui& ui = page.ui();
  if (looks_at_picture(page.scene)) return std::round(std::clamp(box.h * 0.42f, ui.px(160), ui.px(360)));
  const bool pruning = page.step.plot == lessons::Plot::Pruning;
  return std::round(std::clamp(box.h * (pruning ? 0.4f : 0.3f), ui.px(150), ui.px(pruning ? 300 : 214)));
}

void draw_model_picture_of(LessonPage& page, const Box& box) {
  Scene& scene = page.scene;
  const Ui& ui = scene.ui;
  const bool pruning = page.step.plot == lessons::Plot::Pruning;
  const bool alone = page.step.view == lessons::StepView::Grid;  // without the large head
  const bool one = page.narrow && !alone;
  const float low = lower_height(page, box), names = ui.px(one ? 28 : 0);
  const Box upper{box.x, box.y + names, box.w, box.h - low - names};
  const float grid = page.narrow || alone ? upper.w : std::round(upper.w * (scene.compact ? 0.44f : 0.38f));
  const Box heads{upper.x, upper.y, grid, upper.h};
  // In a narrow room the chosen head or all of them: first those that the step's colours tell of.
  const std::array<PictureName, 2> both{
      {{name_of_head(scene), ui.theme.text1}, {"All heads", ui.theme.text1}}};
  const Box row{box.x + ui.px(16), box.y + ui.px(2), box.w - ui.px(32), ui.px(26)};
  const std::size_t shown = one ? draw_picture_names(page, row, both, page.step.colour.empty() ? 0 : 1) : 0;
  // Nothing may be changed while a question is open, and the choice of the head changes the Document.
  if (page.covered) ImGui::BeginDisabled();
  if (!one || shown == 1) {
    if (page.hides() && (page.step.covers_grid || alone))
      draw_lesson_lid(page, heads.grown(-ui.px(12)), ui.theme.border);
    else
      draw_lesson_grid(page, heads);
  }
  if (!alone && (!one || shown == 0))
    draw_lesson_head(page, one ? upper : Box{heads.right(), upper.y, upper.w - grid, upper.h});
  Box prediction{box.x, upper.bottom(), box.w, low};
  if (looks_at_picture(scene)) {
    const Box picture{box.x, upper.bottom(), std::round(box.w * 0.62f), low};
    prediction = {picture.right(), upper.bottom(), box.w - picture.w, low};
    // The model's input picture does not answer the question.
    page.hides() ? draw_lesson_lid(page, draw_model_picture_alone(scene, picture), ui.theme.border)
                 : draw_model_picture(scene, picture);
  }
  if (pruning) {
    const Box curve{box.x, upper.bottom(), std::round(box.w * 0.6f), low};
    prediction = {curve.right(), upper.bottom(), box.w - curve.w, low};
    page.hides() ? draw_lesson_lid(page, curve.grown(-ui.px(8)), ui.theme.border)
                 : draw_pruning(scene, curve);
  }
  page.hides() ? draw_lesson_lid(page, prediction.grown(-ui.px(8)), ui.theme.border)
               : draw_model_prediction(scene, prediction);
  if (page.covered) ImGui::EndDisabled();
}

}  // namespace

void draw_lesson_model(LessonPage& page, const Box& box) {
  const Ui& ui = page.ui();
  Scene& scene = page.scene;
  const ShownLessonModel* const model = scene.lesson != nullptr ? scene.lesson->model : nullptr;
  if (model == nullptr) return;
  const std::string title =
      own(model->is != nullptr ? std::string(model->is->title)
                               : std::filesystem::path(model->name).filename().native());
  switch (model->state) {
    case ShownLessonModel::State::Absent: return draw_absent_model(page, box, *model);
    case ShownLessonModel::State::Broken:
      return say_in_place(ui, box, title + " cannot be opened", own(model->problem));
    case ShownLessonModel::State::None:
    case ShownLessonModel::State::Coming:
      return say_in_place(ui, box, title + " is read",
                          model->share > 0 ? fixed(100 * model->share, 0) + " %"
                                           : std::string("It is looked for on this computer."));
    case ShownLessonModel::State::Open: break;
  }
  const bool there = scene.model != nullptr && scene.model->run && scene.document.within.read() &&
                     scene.model->within.model == scene.document.within.read().model;
  if (!there)
    return say_in_place(ui, box, title + " reads the text", "Its heads and its prediction come next.");
  const float pad = ui.px(scene.compact ? 16 : 24);
  float y = box.y;
  if (!page.step.shown.empty()) {
    y = draw_lesson_controls(page,
                             {box.x + pad, y + ui.px(scene.compact ? 6 : 10), box.w - 2 * pad, ui.px(36)}) +
        ui.px(6);
    ui.horizontal(box.x + pad, y, box.w - 2 * pad, ui.theme.hairline);
  }
  draw_model_picture_of(page, {box.x, y, box.w, box.bottom() - y});
}

}  // namespace attnscope
