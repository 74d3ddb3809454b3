// app/views/inspector: one cell with all its numbers: the products of q and k, the steps from score to
// weight, and its contribution to the output. The large number is that of the stage that the focus shows.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_words.hpp"
#include "app/scene/cell_rows.hpp"
#include "app/scene/head_words.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/inspector/numbers.hpp"
#include "app/views/inspector/pages.hpp"
#include "app/views/parts/strips.hpp"
#include "app/views/parts/unknown.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope {
namespace {

/// The ladder of a cell and the step that the focus shows.
struct Steps {
  CellFacts facts;
  std::vector<LadderLine> lines;
  std::vector<std::size_t> stages;  // indices of the lines whose stage has a picture
  std::optional<std::size_t> now;   // the shown one, an index into `stages`
};

/// The plane in the focus; the weights while it shows something else.
Plane shown_plane(const Scene& scene) {
  const bool other = stage_look_of(scene.view).vectors || editing_of(scene.view).weights ||
                     inspector_of(scene.view).expanded;
  return other ? Plane(weights_stage(scene.result.document)) : stage_look_of(scene.view).stage;
}

Steps steps_of(Scene& scene, const CellPlace& at, const CellRow& row) {
  Steps steps{facts_of(scene, at, row), {}, {}, {}};
  steps.lines = ladder_of(scene, steps.facts);
  // In a compact window the float64 weight is only in the tooltip of the weight.
  if (scene.compact) std::erase_if(steps.lines, [](const LadderLine& l) { return l.name == "float64"; });
  const Plane plane = shown_plane(scene);
  // The map of a long result shows weights alone: no line leads to another picture.
  if (row.is_computed)
    for (LadderLine& line : steps.lines) line.stage.reset();
  for (std::size_t i = 0; i < steps.lines.size(); ++i) {
    const std::optional<Stage> stage = steps.lines[i].stage;
    if (!stage) continue;
    if (plane.kind == Plane::Kind::Value && plane.stage == *stage) steps.now = steps.stages.size();
    steps.stages.push_back(i);
  }
  return steps;
}

void show_step(Scene& scene, const Steps& steps, std::size_t index) {
  show_stage(scene.view, *steps.lines[steps.stages[index]].stage);
}

/// "‹ scaled ›": buttons to the same cell one stage before and after. Returns the width.
float draw_stepper(Scene& scene, const Steps& steps, std::string_view name, const Box& line) {
  const Ui& ui = scene.ui;
  const float side = ui.px(20);
  const auto arrow = [&](const char* label, float x, bool back) {
    const std::size_t last = steps.stages.size() - 1;
    const bool can = !steps.now || (back ? *steps.now > 0 : *steps.now < last);
    const Box box{x, line.centre_y() - side / 2, side, side};
    const Ui::Touch touch = ui.touch(label, box);
    if (touch.hovered && can) ui.fill(box, ui.theme.control_hover, ui.px(4));
    if (touch.focused) ui.frame(box, ui.theme.query, ui.px(2), ui.px(4));
    const float cx = box.centre_x(), cy = box.centre_y(), r = ui.px(back ? -2.f : 2.f), h = ui.px(4);
    ui.polyline(std::array{ImVec2{cx - r, cy - h}, ImVec2{cx + r, cy}, ImVec2{cx - r, cy + h}},
                !can            ? ui.theme.disabled
                : touch.hovered ? ui.theme.text1
                                : ui.theme.text3,
                std::max(1.f, ui.px(1.5f)));
    tooltip(ui, touch.hovered, box,
            {back ? "Stage before" : "Stage after",
             {},
             "The same cell, one step of the computation on or back.",
             back ? "," : "."});
    if (!touch.clicked || !can) return;
    const std::size_t from = steps.now.value_or(back ? steps.stages.size() : last);
    show_step(scene, steps, back ? from - 1 : std::min(from + (steps.now ? 1 : 0), last));
  };
  const float width = ui.text_width(name, type::label, Ink::Medium);
  const float x = line.x - ui.px(6);
  arrow("Step back", x, true);
  ui.text(x + side + ui.px(2), line.centre_y(), name, {type::label, ui.theme.text2, Ink::Medium});
  arrow("Step on", x + side + width + ui.px(4), false);
  return width + 2 * side + ui.px(4);
}

/// `of_muted`: the cell is one of the zeros shown for a muted head.
std::string cell_rank_of(const Shown& shown, const CellFacts& f, bool of_muted) {
  if (std::isnan(f.weight)) return "not a number";
  if (f.masked && !knows_scores(shown.result.document)) return "0 in the file";
  if (f.masked) return f.weight == 0 ? "hidden by the mask" : "though hidden by the mask";
  if (of_muted) return "muted · its own weight " + in_full(f.own);
  return "rank " + grouped(f.rank) + " of " + grouped(f.allowed) + " in the row";
}

/// The number of the shown stage, large; below it the stage's name and a remark.
float draw_head(Scene& scene, const Steps& steps, const Box& area) {
  const Ui& ui = scene.ui;
  const CellFacts& f = steps.facts;
  const Plane plane = shown_plane(scene);
  const bool muted = is_head_muted(scene.result.document, f.h);
  const Stage own = own_weights_stage(scene.result.document);
  std::string number, name, remark;
  if (f.is_computed) {
    number = in_full(f.weight);
    name = "weight";
    remark = cell_rank_of(scene, f, muted);
  } else if (steps.now) {
    const LadderLine& line = steps.lines[steps.stages[*steps.now]];
    number = line.value;
    name = line.name;
    remark = line.is_result ? cell_rank_of(scene, f, muted && line.stage != own) : line.how;
  } else {
    const auto value = static_cast<double>(scene.stats.matrix(plane, f.b, f.h)(f.query, f.key));
    const PlaneWords w = words(scene.result.document, plane);
    number = is_weights(plane) ? in_full(value) : std::abs(value) < 0.01 ? tiny(value) : fixed(value, 3);
    name = w.short_name;
    remark = w.formula;
  }
  draw_readout(scene, f, {area.x, area.y, area.w, ui.px(readout_height)}, number, Tags::QueryAndKey);
  const Box line{area.x, area.y + ui.px(readout_height), area.w, ui.px(words_height)};
  const float used =
      f.is_computed
          ? ui.text(line.x, line.centre_y(), name, {type::label, ui.theme.text2, Ink::Medium}) + ui.px(10)
          : draw_stepper(scene, steps, name, line);
  ui.text(line.x + used, line.centre_y(), remark,
          {type::label, ui.theme.text3, Ink::Regular, Align::Left, line.w - used});
  return line.bottom();
}

/// The tooltip of a line of the ladder.
void tell_step(Scene& scene, const Steps& steps, const LadderLine& line, const Box& row) {
  const CellFacts& f = steps.facts;
  const Document& document = scene.result.document;
  const PlaneWords w = line.stage ? words(document, *line.stage) : PlaneWords{line.name, {}, {}, {}};
  std::string why(w.why);
  if (line.is_result && line.stage == Stage::Softmax && !f.masked) {
    if (const CellReference* exact = scene.stats.reference(f.b, f.h, f.query, f.key, false))
      why =
          "In float64 " + fixed(exact->weight, 10) + ", Δ " + tiny(std::abs(exact->weight - f.softmax)) + ".";
  }
  if (line.stage == Stage::Intervention && is_head_muted(document, f.h))
    why = "The head adds nothing: its own pattern is kept one stage before.";
  if (line.stage) why += " A click shows the stage in the focus.";
  tooltip(scene.ui, true, row, {w.name, w.formula, why, line.stage ? ", ." : ""});
}

/// "score  Σ q·k  13.297": a click on a line shows its stage; the shown one is marked.
float draw_ladder(Scene& scene, const Steps& steps, const Box& area, float height) {
  const Ui& ui = scene.ui;
  float y = area.y;
  const float middle = area.x + area.w * (scene.compact ? 0.27f : 0.33f);
  const std::size_t shown = steps.now ? steps.stages[*steps.now] : steps.lines.size();
  for (std::size_t i = 0; i < steps.lines.size(); ++i, y += height) {
    const LadderLine& line = steps.lines[i];
    const Box row{area.x, y, area.w, height};
    const Box ground{row.x - ui.px(8), row.y + 1, row.w + ui.px(14), row.h - 2};
    const Ui::Touch touch = ui.touch(("step " + line.name).c_str(), row, line.stage.has_value());
    if (i == shown) ui.fill(ground, ui.theme.raised, ui.px(4));
    if (touch.hovered && line.stage) ui.fill(ground, ui.theme.control_hover, ui.px(4));
    if (i == shown)
      ui.fill({ground.x, row.y + ui.px(3), ui.px(3), row.h - ui.px(6)}, ui.theme.query, ui.px(1));
    if (touch.focused) ui.frame(ground, ui.theme.query, ui.px(2), ui.px(4));
    const Rgba ink = line.is_result ? ui.theme.query : line.is_check ? ui.theme.text3 : ui.theme.text1;
    const Ink weight = line.is_result ? Ink::Semibold : line.is_check ? Ink::Regular : Ink::Medium;
    const float mid = row.centre_y();
    const float width = ui.text(row.right(), mid, line.value, {type::label, ink, weight, Align::Right});
    const float name =
        ui.text(row.x, mid, line.name, {type::label, i == shown ? ui.theme.text1 : ui.theme.text2});
    const float x = std::max(middle, row.x + name + ui.px(8));
    ui.text(x, mid, line.how,
            {type::label, ui.theme.text3, Ink::Regular, Align::Left, row.right() - x - width - ui.px(8)});
    if (touch.hovered) tell_step(scene, steps, line, row);
    if (touch.clicked && line.stage) show_stage(scene.view, *line.stage);
  }
  return y;
}

/// weight × v of the key, dimension by dimension.
float draw_output(Scene& scene, const CellFacts& f, const Box& area) {
  const Ui& ui = scene.ui;
  if (!knows_values(scene.result.document))
    return draw_unknown(ui, area, "values and outputs", why_no_values(scene.result.document));
  const std::span<const float> v = vector_of(scene.result, Stage::Value, f.b, f.kv, f.key);
  const StripMatrix added = strip_of(v, f.mixed);
  // The colour scale is that of the values, so that a small contribution has a faint colour. Numbers too
  // small for two decimal places have a common factor.
  const float most = scene.stats.largest(Stage::Value), largest = largest_of(added);
  const Box strip{area.x, area.y + ui.px(24), area.w, ui.px(22)};
  const bool printed = has_room_for_numbers(ui, strip, 1, added.cols());
  const int power = printed && largest < 0.05f ? static_cast<int>(std::floor(std::log10(largest))) : 0;
  const std::string factor =
      power == 0 || added.isZero(0) ? std::string() : " · numbers × " + own("1e" + fixed(power, 0));
  const float named = ui.text(area.x, area.y + ui.px(10), "contribution",
                              {type::label, ui.theme.text2, Ink::Regular, Align::Left, area.w * 0.6f});
  const std::string label = key_label(scene.result, f.b, f.key);
  ui.text(area.right(), area.y + ui.px(10), tiny(f.mixed) + " × v of “" + own(label) + "”",
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right,
           std::min(area.w * 0.58f, area.w - named - ui.px(8))});
  draw_strips(ui, {.place = "output strip",
                   .box = strip,
                   .values = added,
                   .most = most,
                   .ground = ui.theme.panel,
                   .row_gap = 1,
                   .times = std::pow(10.0, -power)});
  const Ui::Touch touch = ui.touch("contribution", strip, false);
  const bool nothing = added.isZero(0);
  std::string below = nothing        ? "nothing: the weight or the value is 0"
                      : most < 0.01f ? "zero-centred, ±" + tiny(static_cast<double>(most)) + factor
                                     : "zero-centred, ±" + fixed(static_cast<double>(most), 2) + factor;
  const std::optional<std::int64_t> d = column_under_mouse(strip, std::ssize(v));
  if (touch.hovered && d) {
    mark_column(ui, strip, *d, std::ssize(v));
    const auto at = static_cast<std::size_t>(*d);
    const auto sum = static_cast<double>(added(0, *d));
    below = "z" + std::to_string(*d) + " += " + in_full(f.mixed) + " × " +
            fixed(static_cast<double>(v[at]), 4) + " = " + in_full(sum);
    scene.view.hint = "dimension " + std::to_string(*d) + " of the head output z, before W_O:  " + below;
  }
  ui.text(area.x, strip.bottom() + ui.px(12), below,
          {type::tick, touch.hovered ? ui.theme.text1 : ui.theme.text3, Ink::Regular, Align::Left, area.w});
  return strip.bottom() + ui.px(22);
}

}  // namespace

float draw_cell_page(Scene& scene, const CellPlace& at, const Box& area) {
  const Ui& ui = scene.ui;
  const std::optional<CellRow> row = row_of(scene, at.b, at.h, at.query);
  if (!row) return area.y + ui.px(readout_height);
  const Steps steps = steps_of(scene, at, *row);
  const auto rule = [&](float y) {
    ui.horizontal(area.x, y, area.w, ui.theme.hairline);
    return y;
  };
  float y = rule(draw_head(scene, steps, area) + ui.px(scene.compact ? 5 : 8)) + ui.px(scene.compact ? 3 : 6);
  // Ladder and output strip, at the bottom, have fixed heights; the products take the remaining height.
  const float line = ui.px(scene.compact ? 19 : 22), gap = ui.px(scene.compact ? 6 : 8);
  const float ladder = line * static_cast<float>(steps.lines.size()), output = ui.px(66);
  const float room = area.bottom() - y - ladder - output - 3 * gap;
  const Box products{area.x, y, area.w, std::max(room, ui.px(24 + 4 * 16))};
  y = knows_scores(scene.result.document) ? draw_products(scene, at, products)
                                          : draw_unknown(ui, products, "queries and keys", why_no_scores());
  y = rule(y + gap) + gap / 2;
  y = draw_ladder(scene, steps, {area.x, y, area.w, ladder}, line);
  y = rule(y + gap / 2) + gap;
  return draw_output(scene, steps.facts, {area.x, y, area.w, output});
}

}  // namespace attnscope
