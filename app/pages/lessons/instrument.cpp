// app/pages/lessons: the matrices that a step is about: A, and beside it the held B, covered until the answer
// is revealed.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/lessons/until.hpp"
#include "app/pages/lessons/parts/held_cell.hpp"
#include "app/pages/lessons/step/head_weights.hpp"
#include "app/pages/lessons/step/side_names.hpp"
#include "app/pages/lessons/step/telling.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/views/parts/heat_map.hpp"
#include "app/views/parts/map_parts.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

/// What is needed to draw a side.
struct LessonSide {
  Scene& scene;
  bool is_b;
  bool covered;
  const HeldPlaces* places;  // of B's rows and keys; null: this is A
  const std::optional<ColourScale>& scale;

  /// This side's row for a row of A.
  HeldPlace row(std::int64_t shown) const { return is_b ? places->row(shown) : HeldPlace{shown, true}; }
  /// The row whose entropy is written on this side; always one that it has.
  std::int64_t own_row(std::int64_t shown) const {
    const std::int64_t row = is_b ? places->cell({shown, 0}).query : shown;
    return std::clamp<std::int64_t>(row, 0, scene.result.dimensions.queries - 1);
  }
  /// The places of a word of the prose on this side; −1 where it has none.
  lessons::Anchor anchor(lessons::Anchor word) const {
    using Kind = lessons::Anchor::Kind;
    if (!is_b) return word;
    const bool of_row = word.kind == Kind::Query || word.kind == Kind::Cell;
    const bool of_key = word.kind == Kind::Key || word.kind == Kind::Value || word.kind == Kind::Cell;
    if (of_row && !word.places.empty()) word.places.front() = places->row(word.places.front()).at;
    if (of_key && !word.places.empty()) word.places.back() = places->key(word.places.back()).at;
    return word;
  }
};

/// Draws a ring around the row that is asked about.
void ring_asked_row(const MapFrame& map, std::int64_t query) {
  const Ui& ui = map.ui();
  if (map.turned() || query < 0 || query >= map.scene.result.dimensions.queries) return;
  const Box first = map.visible_cell({query, 0});
  if (first.h < 1) return;
  ui.frame(Box{map.cells.x, first.y, map.cells.w, first.h}.grown(ui.px(2)), ui.theme.query, ui.px(2),
           ui.px(4));
}

/// Draws a bracket at the left of that row if a lid covers the cells.
void bracket_asked_row(const MapFrame& map, std::int64_t query) {
  const Ui& ui = map.ui();
  if (map.turned() || query < 0 || query >= map.scene.result.dimensions.queries) return;
  const Box cell = map.visible_cell({query, 0});
  const float x = map.cells.x - ui.px(8), reach = ui.px(7);
  const ImVec2 bracket[4] = {
      {x + reach, cell.y}, {x, cell.y}, {x, cell.bottom()}, {x + reach, cell.bottom()}};
  ui.polyline(bracket, ui.theme.query, ui.px(2));
}

/// The largest possible entropy of a row: ln of its allowed keys; if it has none and weights nevertheless, ln
/// of all keys. In words, too.
struct EntropyBound {
  double nats = 0;
  std::string words, brief;  // brief: for little room
};
EntropyBound entropy_bound(const RowMeasures& measures, const Dimensions& d) {
  if (measures.allowed > 0) {
    const double nats = std::log(static_cast<double>(measures.allowed));
    return {nats, "of at most ln " + std::to_string(measures.allowed) + " = " + fixed(nats, 2) + " nats",
            "≤ ln " + std::to_string(measures.allowed) + " = " + fixed(nats, 2)};
  }
  if (!(measures.entropy > 0)) return {0, "no key allowed", "no key allowed"};
  return {std::log(static_cast<double>(d.keys)),
          "no key allowed: over " + std::to_string(d.keys) + " hidden ones", "no key allowed"};
}

/// "H of sat" with a bar as a share of the largest possible entropy; "?" while it is covered.
void draw_row_entropy(const LessonPage& page, const LessonSide& side, const Box& line, float label) {
  const Ui& ui = page.ui();
  const LayerResult& result = side.scene.result;
  const std::int64_t row = side.own_row(lesson_row(page));
  const std::int64_t head = std::min(side.scene.head(), result.dimensions.heads - 1);
  const RowMeasures& measures = result.measures.row(0, head, row);
  const float y = line.y + ui.px(12);
  if (!side.covered && gives_nothing(result.document, head)) {
    ui.text(line.x, y, "zeroed: what it gives is 0",
            {type::label, ui.theme.text1, Ink::Medium, Align::Left, line.w});
    return;
  }
  // If the row's token differs from that of the other side, this side names its own.
  if (!side.is_b || page.narrow || !side.row(lesson_row(page)).is_same)
    ui.text(line.x - ui.px(12), y, "H of " + placed_query_label(result, 0, row),
            {type::label, ui.theme.text2, Ink::Regular, Align::Right, label});
  const Box track{line.x, y - ui.px(4), line.w - ui.px(56), ui.px(8)};
  ui.fill(track, ui.theme.bar_ground, ui.px(2));
  const EntropyBound most = entropy_bound(measures, result.dimensions);
  if (side.covered) {  // the bound would reveal how many keys the row has
    ui.text(line.right(), y, "?", {type::body, ui.theme.text2, Ink::Medium, Align::Right});
    return;
  }
  const double share = most.nats > 0 ? std::clamp(measures.entropy / most.nats, 0.0, 1.0) : 0;
  ui.fill({track.x, track.y, std::round(track.w * static_cast<float>(share)), track.h}, ui.theme.query,
          ui.px(2));
  ui.text(line.right(), y, fixed(measures.entropy, 2),
          {type::body, ui.theme.text1, Ink::Semibold, Align::Right});
  const bool fits = ui.text_width(most.words, type::tick) <= line.w;
  ui.text(line.x, y + ui.px(18), fits ? most.words : most.brief,
          {type::tick, ui.theme.text3, Ink::Regular, Align::Left, line.w});
}

/// The plane that a side shows. Weights are those that mix its own values, after linear attention and
/// interventions, but for a zeroed head those that it computes. Never a later stage than the step shows;
/// empty if that is before the scores.
std::optional<Plane> lesson_plane(const LessonPage& page, const Scene& side) {
  const bool weights = !page.step.stage || *page.step.stage == "weights";
  const std::int64_t head = std::min(side.head(), side.result.dimensions.heads - 1);
  Plane plane = stage_look_of(side.view).stage;
  if (weights || side.stats.tensor(plane) == nullptr) plane = lesson_weights(page, side.result, head);
  if (lessons::shows_stage(page.step, plane.stage)) return plane;
  const std::optional<Stage> last = lessons::plane_until(page.step, side.result, plane.stage);
  return last ? std::optional<Plane>(*last) : std::nullopt;
}

/// Whether all scores are integers, which are then written without decimals.
bool are_integers(Scene& side, const Plane& plane) {
  if (is_weights(plane) || side.stats.tensor(plane) == nullptr) return false;
  const auto values = side.stats.matrix(plane, 0, std::min(side.head(), side.result.dimensions.heads - 1));
  for (std::int64_t i = 0; i < values.rows(); ++i)
    for (std::int64_t j = 0; j < values.cols(); ++j)
      if (std::isfinite(values(i, j)) && values(i, j) != std::round(values(i, j))) return false;
  return true;
}

HeatMapStyle lesson_map_style(const LessonPage& page, const LessonSide& side, std::optional<Plane> plane) {
  HeatMapStyle style{.wide_strip = false,
                     .strips = false,
                     .read_out = true,
                     .places = true,
                     .plane = plane ? *plane : Plane(lesson_weights(page, side.scene.result, 0)),
                     .scale = side.scale,
                     .name = side.is_b ? "lesson B" : "lesson A",
                     .largest_cell = 184};
  if (plane && are_integers(side.scene, *plane))
    style.print = [](double value, float) { return fixed(value, 0); };
  if (page.narrow && plane && is_weights(*plane)) style.least_printed = 22;  // ".55" is 21 wide
  return style;
}

/// Empty cells: the step stops before them.
void draw_empty_cells(const Ui& ui, const MapFrame& map) {
  draw_axis_names(map);
  draw_labels(map);
  ui.fill(map.cells, ui.theme.control, ui.px(4));
  ui.text(map.cells.centre_x(), map.cells.centre_y(), "not computed yet",
          {type::label, ui.theme.text2, Ink::Regular, Align::Centre, map.cells.w});
}

void draw_side_title(const LessonPage& page, const LessonSide& side, float x, float y, float width) {
  const Ui& ui = page.ui();
  if (const std::string name = lesson_side_name(page, side.scene, side.is_b); !name.empty())
    ui.text(x, y, name,
            {type::body, side.is_b ? ui.theme.b : ui.theme.text1, Ink::Semibold, Align::Left, width});
}

void draw_lesson_side(LessonPage& page, const LessonSide& side, const Box& area) {
  const Ui& ui = page.ui();
  if (area.w < ui.px(80) || area.h < ui.px(80)) return;
  // A single matrix without a name leaves the line of the name to its cells.
  const bool has_tab = page.narrow && page.scene.held != nullptr;  // which has the name
  const bool titled = !has_tab && (page.scene.held != nullptr || !page.step.title_shown.empty());
  const float head = ui.px(titled ? 28 : 4);
  if (const std::optional<Stage> vectors = lesson_vectors(page, side.scene.result)) {
    if (!has_tab) draw_side_title(page, side, area.x, area.y + ui.px(10), area.w);
    return draw_lesson_vectors(page, side.scene, {area.x, area.y + head, area.w, area.h - head}, *vectors,
                               side.is_b, side.covered);
  }
  const std::optional<Plane> plane = lesson_plane(page, side.scene);
  const HeatMapStyle style = lesson_map_style(page, side, plane);
  if (!has_tab) draw_side_title(page, side, area.x + ui.px(74), area.y + ui.px(10), area.w - ui.px(74));
  const Box map_area{area.x, area.y + head, area.w, area.h - head};
  const MapFrame map = plan_map(side.scene, map_area, 0, style);
  if (map.cells.w < 1) return;
  const std::int64_t asked = page.step.query ? side.row(*page.step.query).at : -1;
  if (side.covered) {
    draw_axis_names(map);
    draw_labels(map);
    draw_lesson_lid(page, map.cells, side.is_b ? ui.theme.b : ui.theme.border);
    bracket_asked_row(map, asked);
  } else if (!plane) {
    draw_empty_cells(ui, map);
  } else {
    draw_heat_map(side.scene, map_area, 0, style);
    if (page.step.question) ring_asked_row(map, asked);
  }
  if (page.pointed && (!side.covered || page.pointed->kind != lessons::Anchor::Kind::Cell))
    ring_lesson_word(map, side.anchor(*page.pointed));
  const Box line{map.cells.x, map.cells.bottom() + ui.px(10), map.cells.w, ui.px(44)};
  const bool has_weights = lessons::shows_stage(page.step, own_weights_stage(side.scene.result.document));
  if (has_weights && line.bottom() <= area.bottom() + ui.px(60))
    draw_row_entropy(page, side, line, ui.px(64));
}

/// The colour scale of both sides: equal numbers have equal colours. A covered side's range would reveal
/// something, so it counts only once it is revealed.
std::optional<ColourScale> lesson_scale(const LessonPage& page, bool two) {
  Scene& scene = page.scene;
  const std::optional<Plane> plane = lesson_plane(page, scene);
  if (!plane) return std::nullopt;
  ColourScale scale = colour_scale(scene, *plane, std::min(scene.head(), scene.result.dimensions.heads - 1));
  const auto kept = [&](ColourScale range) {  // weights have 0 … 1 whatever is changed
    if (!range.zero_centred) return range;
    range.high = kept_reach(page, page.moments().score_reach, range.high);
    range.low = -range.high;
    return range;
  };
  if (!two || page.hides()) return kept(scale);
  const Dimensions& d = scene.held->result->layer().dimensions;
  Selection here = kept_inside(scene.selection, d), next = here;
  const Scene b = scene_of_held(scene, here, next);
  const std::optional<Plane> other = lesson_plane(page, b);
  if (!other || is_weights(*other) != is_weights(*plane)) return kept(scale);
  const ColourScale held = colour_scale(b, *other, std::min(b.head(), d.heads - 1));
  scale.low = std::min(scale.low, held.low);
  scale.high = std::max(scale.high, held.high);
  return kept(scale);
}

/// Draws B, with its own row of the chosen token.
void draw_held_side(LessonPage& page, const Box& area, const std::optional<ColourScale>& scale) {
  Scene& scene = page.scene;
  const LayerResult& held = scene.held->result->layer();
  const HeldPlaces places(page.step, scene.result, held);
  Selection moved = scene.selection;
  moved.cell = places.cell(moved.cell);
  if (moved.hovered_cell) moved.hovered_cell = places.cell(*moved.hovered_cell);
  Selection own = kept_inside(moved, held.dimensions);
  Selection next = own;
  next.hovered_cell.reset();
  Scene b = scene_of_held(scene, own, next);
  draw_lesson_side(page, {b, true, page.hides(), &places, scale}, area);
  if (page.covered || !next.hovered_cell) return;
  const std::optional<Cell> here = places.shown(*next.hovered_cell);
  if (here && is_inside(*here, scene.result.dimensions)) scene.next.hovered_cell = here;
}

/// One of the two sides in a narrow room, below their names: B once the answer is revealed, else A.
void draw_side_of_two(LessonPage& page, const Box& area, const std::optional<ColourScale>& scale) {
  const Ui& ui = page.ui();
  Scene& scene = page.scene;
  Selection here = kept_inside(scene.selection, scene.held->result->layer().dimensions), next = here;
  const std::array<PictureName, 2> names{
      {{lesson_side_name(page, scene, false), ui.theme.text1},
       {lesson_side_name(page, scene_of_held(scene, here, next), true), ui.theme.b}}};
  const Box row{area.x, area.y, area.w, ui.px(26)};
  const std::size_t shown = draw_picture_names(page, row, names, page.step.question && !page.covered ? 1 : 0);
  const Box map{area.x, row.bottom(), area.w, area.h - row.h};
  if (shown == 1) return draw_held_side(page, map, scale);
  draw_lesson_side(page, {scene, false, false, nullptr, scale}, map);
}

/// "weight  ▭▭▭▭  0 … 1"
void draw_lesson_ramp(const LessonPage& page, const Box& row, const ColourScale& scale) {
  const Ui& ui = page.ui();
  Scene& scene = page.scene;
  const Plane plane = *lesson_plane(page, scene);
  const Box ramp{row.x + ui.px(74), row.y, std::min(ui.px(240), row.w - ui.px(90)), ui.px(8)};
  const bool weights = plane == Plane(lesson_weights(page, scene.result, scene.head()));
  const float room = ui.px(64);
  std::string_view name = weights ? "weight" : info(plane.stage).name;
  if (ui.text_width(name, type::label) > room) name = words(scene.result.document, plane).short_name;
  ui.text(ramp.x - ui.px(12), ramp.centre_y(), name,
          {type::label, ui.theme.text2, Ink::Regular, Align::Right, room});
  draw_ramp(ui, "lesson ramp", ramp, scale, scale.low, scale.high);
  const float y = ramp.bottom() + ui.px(12);
  ui.text(ramp.x, y, tight(static_cast<double>(scale.low)), {type::tick, ui.theme.text3});
  ui.text(ramp.right(), y, tight(static_cast<double>(scale.high)),
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
}

/// Whether the plot is drawn: not if it shows a stage that the step does not show yet.
bool shows_plot(const LessonPage& page) {
  const bool of_scores = page.step.plot == lessons::Plot::Scores;
  return lessons::shows_stage(page.step,
                              of_scores ? Stage::Scale : own_weights_stage(page.scene.result.document));
}

}  // namespace

void draw_lesson_instrument(LessonPage& page, const Box& box) {
  const Ui& ui = page.ui();
  Scene& scene = page.scene;
  const float pad = ui.px(scene.compact ? 16 : 24);
  float y = box.y + ui.px(scene.compact ? 6 : 10);
  if (!page.step.shown.empty()) {
    y = draw_lesson_controls(page, {box.x + pad, y, box.w - 2 * pad, ui.px(36)}) + ui.px(6);
    ui.horizontal(box.x + pad, y, box.w - 2 * pad, ui.theme.hairline);
    y += ui.px(8);
  }
  // In presenter mode the matrices get all the room.
  if (page.step.plot != lessons::Plot::None && !page.presented && shows_plot(page)) {
    // In a compact window the plot is lower, as the labels of the matrix need the room.
    const float share = scene.compact ? 0.2f : 0.28f;
    const float high = std::round(std::clamp((box.bottom() - y) * share, ui.px(104), ui.px(200)));
    draw_lesson_plot(page, {box.x + pad, y, box.w - 2 * pad, high});
    y += high + ui.px(8);
    if (page.state().told) page.state().told->plot_shape = static_cast<double>(box.w / (y - box.y));
    ui.horizontal(box.x + pad, y, box.w - 2 * pad, ui.theme.hairline);
    y += ui.px(8);
  }
  const Box whole{box.x + pad, y, box.w - 2 * pad, box.bottom() - ui.px(8) - y};
  if (shows_lesson_walk(page)) return draw_lesson_walk(page, whole);
  if (page.step.view == lessons::StepView::Gradients && knows_values(scene.result.document))
    return draw_lesson_gradients(page, whole);
  if (page.step.view == lessons::StepView::Cache) return draw_lesson_cache(page, whole);
  if (page.step.view == lessons::StepView::Cell) return draw_lesson_cell(page, whole);
  const bool vectors = lesson_vectors(page, scene.result).has_value();  // they have a colour bar of their own
  const float foot = vectors ? ui.px(8) : ui.px(page.presented ? 60 : 60 + 44);  // entropy and colour bar
  const Box maps{box.x + pad, y, box.w - 2 * pad, std::max(0.f, box.bottom() - y - foot)};
  const bool two = scene.held != nullptr && !scene.held->result->layer().is_long();
  const float gap = ui.px(scene.compact ? 12 : 20);
  const float alone = vectors ? maps.w : std::min(maps.w, maps.h + ui.px(120));
  const float width = two ? std::floor((maps.w - gap) / 2) : alone;
  const std::optional<ColourScale> scale = vectors ? std::nullopt : lesson_scale(page, two);
  const bool all = page.step.view == lessons::StepView::Heads || page.step.view == lessons::StepView::Grid;
  if (all && scale) {
    draw_lesson_heads(page, {maps.x, maps.y, maps.w, maps.h + ui.px(44)}, *scale);
    if (!page.presented)
      draw_lesson_ramp(page, {maps.x, box.bottom() - ui.px(36), maps.w, ui.px(30)}, *scale);
    return;
  }
  if (two && page.narrow) return draw_side_of_two(page, {maps.x, maps.y, alone, maps.h}, scale);
  // With one side A is covered; with two B is.
  draw_lesson_side(page, {scene, false, page.hides() && !two, nullptr, scale},
                   {maps.x, maps.y, width, maps.h});
  if (two) draw_held_side(page, {maps.x + width + gap, maps.y, width, maps.h}, scale);
  if (!page.presented && scale)
    draw_lesson_ramp(page, {maps.x, box.bottom() - ui.px(36), maps.w, ui.px(30)}, *scale);
}

void tell_lesson_sides(const LessonPage& page, ToldStep& told) {
  Scene& scene = page.scene;
  told.sides.clear();
  told.plot_shape = 0;  // set when the plot is drawn
  if (page.lesson().of_model() || page.lesson().of_training() || lesson_vectors(page, scene.result)) return;
  if (page.step.view != lessons::StepView::Matrix) return;
  const bool two = scene.held != nullptr && !scene.held->result->layer().is_long();
  const auto add = [&](const Scene& side, bool is_b, bool covered, Cell cell) {
    const std::optional<Plane> plane = lesson_plane(page, side);
    const std::int64_t head = std::min(scene.head(), side.result.dimensions.heads - 1);
    const bool weights = plane && *plane == Plane(weights_stage(side.result.document)) &&
                         side.result.trace[weights_stage(side.result.document)];
    if (weights) told.sides.push_back({lesson_side_name(page, side, is_b), is_b, covered, head, cell});
    return weights;
  };
  const Cell cell{lesson_row(page), scene.cell().key};
  const bool first = add(scene, false, page.hides() && !two, cell);
  bool second = true;
  if (first && two) {
    const HeldPlaces places(page.step, scene.result, scene.held->result->layer());
    Selection here = kept_inside(scene.selection, scene.held->result->layer().dimensions), next = here;
    const Scene b = scene_of_held(scene, here, next);
    second = add(b, true, page.hides(), places.cell(cell));
  }
  if (!first || !second) told.sides.clear();
}

}  // namespace attnscope
