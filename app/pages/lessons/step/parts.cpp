#include "app/pages/lessons/step/parts.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/widgets/marks.hpp"
#include "app/lessons/model_numbers.hpp"
#include "app/lessons/training_numbers.hpp"
#include "app/training/training_runs.hpp"
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
