#include "app/pages/lessons/step/parts.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/kit/widgets/marks.hpp"
#include "app/lessons/model_numbers.hpp"
#include "app/lessons/training_numbers.hpp"
#include "app/training/training_runs.hpp"
#include "app/views/parts/map_frame.hpp"
#include "core/base/error.hpp"

namespace attnscope {

lessons::LookUp lesson_numbers(const Scene& scene, const lessons::Step& step) {
  if (is_lesson_training(scene)) {
    if (scene.training != nullptr && scene.training->is_placed())
      return lessons::look_up_in_training(scene.training->shown_lab());
    return [](std::string_view, std::span<const double>) -> double {
      throw Error("The run of this step is not there yet.");
    };
  }
  const std::int64_t head =
      std::clamp<std::int64_t>(step.head.value_or(0), 0, scene.result.dimensions.heads - 1);
  const lessons::LookUp layer =
      lessons::look_up_in({scene.result, scene.held ? &scene.held->result->layer() : nullptr, head});
  const lessons::OpenLesson* const open = lesson_in(scene);
  if (open == nullptr || !open->lesson.of_model()) return layer;
  if (is_lesson_model_there(scene)) return lessons::look_up_in_model(*scene.model, layer);
  return [](std::string_view, std::span<const double>) -> double {
    throw Error("The model of this lesson is not there yet.");
  };
}

namespace {

Rgba hue_of_anchor(const Ui& ui, const lessons::Anchor& anchor) {
  using Kind = lessons::Anchor::Kind;
  switch (anchor.kind) {
    case Kind::Query: return ui.theme.query;
    case Kind::Key: return ui.theme.key;
    case Kind::Value: return ui.theme.value;
    case Kind::SideB: return ui.theme.b;
    case Kind::Cell:
    case Kind::Head:
    case Kind::Stage:
    case Kind::Control:
    case Kind::SideA: break;
  }
  return ui.theme.text1;
}

/// Whether the object is under the mouse in a matrix.
bool is_anchor_pointed_at(const Scene& scene, const lessons::Anchor& anchor) {
  const std::optional<Cell>& cell = scene.selection.hovered_cell;
  if (!cell) return false;
  using Kind = lessons::Anchor::Kind;
  const auto place = [&](std::size_t i) { return i < anchor.places.size() ? anchor.places[i] : -1; };
  switch (anchor.kind) {
    case Kind::Query: return place(0) == cell->query;
    case Kind::Key:
    case Kind::Value: return place(0) == cell->key;
    case Kind::Cell: return place(0) == cell->query && place(1) == cell->key;
    default: return false;
  }
}

}  // namespace

ProseLookUp LessonPage::prose_look_up() const {
  return {.number =
              [this](const lessons::Piece& piece) {
                return lessons::written(*piece.number, numbers, piece.style);
              },
          .hue = [this](const lessons::Anchor& anchor) { return hue_of_anchor(scene.ui, anchor); },
          .is_lit = [this](const lessons::Anchor& anchor) { return is_anchor_pointed_at(scene, anchor); },
          .is_english = open.is_english};
}

float LessonPage::keycap(float x, float y, std::string_view key) const {
  return draw_keycap(ui(), x, y, key);
}

float kept_reach(const LessonPage& page, float& kept, float most) {
  const float reach = std::max(kept, most);
  if (!page.state().look_due) kept = reach;  // the step's own numbers are computed
  return reach;
}

void ring_lesson_word(const MapFrame& map, const lessons::Anchor& anchor) {
  using Kind = lessons::Anchor::Kind;
  const Ui& ui = map.ui();
  const auto place = [&](std::size_t i) {
    return i < anchor.places.size() ? anchor.places[i] : std::int64_t{-1};
  };
  const Dimensions& d = map.scene.result.dimensions;
  const auto ring = [&](const Box& box, Rgba colour) {
    if (box.w > 0 && box.h > 0) ui.frame(box.grown(ui.px(2)), colour, ui.px(3), ui.px(4));
  };
  const auto row = [&](std::int64_t query) {
    const Box first = map.visible_cell({query, 0}), last = map.visible_cell({query, d.keys - 1});
    return Box{first.x, first.y, last.right() - first.x, last.bottom() - first.y};
  };
  const auto column = [&](std::int64_t key) {
    const Box first = map.visible_cell({0, key}), last = map.visible_cell({d.queries - 1, key});
    return Box{first.x, first.y, last.right() - first.x, last.bottom() - first.y};
  };
  if (anchor.kind == Kind::Query && place(0) >= 0 && place(0) < d.queries)
    ring(row(place(0)), ui.theme.query);
  else if ((anchor.kind == Kind::Key || anchor.kind == Kind::Value) && place(0) >= 0 && place(0) < d.keys)
    ring(column(place(0)), anchor.kind == Kind::Key ? ui.theme.key : ui.theme.value);
  else if (anchor.kind == Kind::Cell && place(0) >= 0 && place(0) < d.queries && place(1) >= 0 &&
           place(1) < d.keys)
    ring(map.visible_cell({place(0), place(1)}), ui.theme.text1);
  else if (anchor.kind == Kind::Query && anchor.places.empty())
    ring({map.cells.x - map.label_width - ui.px(14), map.cells.y, map.label_width + ui.px(10), map.cells.h},
         ui.theme.query);
  else if (anchor.kind == Kind::Key && anchor.places.empty())
    ring({map.cells.x, map.cells.y - map.label_room - ui.px(6), map.cells.w, map.label_room}, ui.theme.key);
  else if (anchor.kind == Kind::Stage)
    ring(map.cells, ui.theme.text1);
}

ProseStyle narrow_style(const LessonPage& page) {
  const Ui& ui = page.ui();
  return {type::tick, 18, ui.theme.text2, ui.theme.text1};
}

float share_of_words(const LessonPage& page, float width) {
  const float room = std::max(1.f, width / page.ui().scale());
  const bool walks = shows_lesson_walk(page);
  const bool one_map = !page.lesson().of_model() && !page.lesson().of_training() &&
                       page.step.view == lessons::StepView::Matrix &&
                       !lesson_vectors(page, page.scene.result);
  // At least 30 letters in a line beside the walk, whose numbers need the room; else 36.
  const float least = std::clamp((walks ? 240 : 280) / room, 0.38f, 0.48f);
  if (!one_map) return least;
  const float cell = 28, around = 110;
  const float map = cell * static_cast<float>(page.scene.result.dimensions.keys) + around;
  return std::clamp(1 - map / room, least, 0.48f);
}

std::size_t draw_picture_names(const LessonPage& page, const Box& row, std::span<const PictureName> names,
                               std::size_t first) {
  if (!page.narrow) return 0;
  const Ui& ui = page.ui();
  LessonMoments& moments = page.moments();
  moments.pictures = names.size();
  moments.shown = std::min(moments.turned_to.value_or(first), names.size() - 1);
  const float cap = keycap_width(ui, "X"), pad = ui.px(8), room = row.w - cap - pad;
  if (room < ui.px(80)) return moments.shown;
  const auto others = static_cast<float>(names.size() - 1);
  const auto whole = [&](std::size_t i) {
    return ui.text_width(names[i].name, type::label, Ink::Semibold) + 2 * pad + 1;
  };
  const float of_shown = std::min(whole(moments.shown), room - others * ui.px(36));
  Box tab{row.x, row.y, 0, row.h};
  for (std::size_t i = 0; i < names.size(); ++i, tab.x = tab.right()) {
    const bool is_shown = i == moments.shown;
    tab.w = is_shown ? of_shown : std::min(whole(i), (room - of_shown) / others);
    const Ui::Touch touch = ui.touch(("picture " + std::to_string(i + 1)).c_str(), tab);
    if (is_shown || touch.hovered)
      ui.fill(tab, is_shown ? ui.theme.control : ui.theme.control_hover, ui.px(4));
    if (touch.focused) ui.frame(tab, ui.theme.query, ui.px(2), ui.px(4));
    const Rgba ink = is_shown ? names[i].ink : ui.theme.text2;
    ui.text(tab.x + pad, tab.centre_y(), names[i].name,
            {type::label, ink, Ink::Semibold, Align::Left, tab.w - 2 * pad});
    if (touch.clicked) moments.turned_to = i;
  }
  page.keycap(row.right() - cap, row.centre_y(), "X");
  return moments.shown;
}

void draw_lesson_lid(const LessonPage& page, const Box& cells, Rgba edge) {
  const Ui& ui = page.ui();
  ui.fill(cells, ui.theme.hatch_ground, ui.px(6));
  ui.clip(cells);
  const float step = ui.px(14);
  for (float x = cells.x - cells.h; x < cells.right(); x += step) {
    const ImVec2 line[2] = {{x, cells.bottom()}, {x + cells.h, cells.y}};
    ui.polyline(line, ui.theme.hatch_line, ui.px(1.5f));
  }
  ui.unclip();
  ui.frame(cells, edge, ui.px(2), ui.px(6));
  const float size = std::clamp(cells.h * 0.22f / ui.scale(), type::tick, 64.f);
  ui.text(cells.centre_x(), cells.centre_y() - ui.px(size * 0.3f), "?",
          {size, edge, Ink::Semibold, Align::Centre});
  const float line = cells.centre_y() + ui.px(size * 0.6f) + ui.px(18);
  const std::string_view words = "lifts the lid";
  const float wide = ui.px(22) + ui.px(10) + ui.text_width(words, type::label);
  const float left = std::round(cells.centre_x() - wide / 2);
  const Box cap{left - ui.px(6), line - ui.px(14), wide + ui.px(12), ui.px(28)};
  if (cap.bottom() > cells.bottom() || cap.w > cells.w) return;
  ui.fill(cap, ui.theme.hatch_ground, ui.px(4));
  const float key = page.keycap(left, line, "R");
  ui.text(left + key + ui.px(10), line, words, {type::label, ui.theme.text1});
}

std::int64_t lesson_row(const LessonPage& page) {
  const std::int64_t rows = page.scene.result.dimensions.queries;
  const std::int64_t row = page.covered && page.step.query ? *page.step.query : page.scene.cell().query;
  return std::clamp<std::int64_t>(row, 0, rows - 1);
}

}  // namespace attnscope
