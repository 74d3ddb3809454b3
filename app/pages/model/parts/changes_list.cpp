// app/pages/model: the changes inside the model, one row each, which can be undone one by one.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/parts/parts.hpp"

namespace attnscope {
namespace {

/// The lines of a change: one if it has room; else the place and, each in lines of its own, what is changed.
std::vector<std::string> lines_of(const Ui& ui, const edit::ChangeWords& change, float room) {
  if (ui.text_width(change.line(), type::label) <= room) return {change.line()};
  std::vector<std::string> lines{change.place};
  lines.insert(lines.end(), change.what.begin(), change.what.end());
  return lines;
}

/// A row with the KL divergence of one change alone; true if the user takes it back.
bool draw_change(Column& c, const edit::ChangeWords& change, double alone, const ModelHead& where) {
  const Ui& ui = c.ui();
  const std::string words = change.line();
  const std::string number = std::isnan(alone) ? "" : alone < 0.005 ? tight(alone) : in_cell(alone);
  // Room is kept for a number that is still being computed, so that it moves no row when it comes.
  const float width = std::max(ui.text_width(number, type::tick), ui.text_width(own(".00"), type::tick));
  const float room = c.width - ui.px(28 + 18) - width;
  const std::vector<std::string> lines = lines_of(ui, change, room);
  float high = 0;
  for (const std::string& line : lines) high += ui.paragraph_height(room, line, type::label);
  const Box row = c.row(std::max(28.f, high / ui.scale() + 10), 4);
  const Box first{row.x, row.y, row.w, ui.px(28)};
  const Box cross{row.right() - ui.px(28), row.y, ui.px(28), first.h};
  const Ui::Touch take_back = ui.touch(("take back " + words).c_str(), cross);
  const Ui::Touch go = ui.touch(words.c_str(), {row.x, row.y, row.w - cross.w, row.h});
  ui.fill(row, go.hovered ? ui.theme.control_hover : ui.theme.control, ui.px(4));
  ui.fill({row.x, row.y, ui.px(2), row.h}, ui.theme.query);
  ui.text(cross.x - ui.px(2), first.centre_y(), number,
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  float top = row.centre_y() - high / 2;
  for (const std::string& line : lines)
    top += ui.paragraph(row.x + ui.px(10), top, room, line, {type::label, ui.theme.text1});
  if (take_back.hovered) ui.fill(cross.grown(-ui.px(2)), ui.theme.control_hover, ui.px(4));
  const float r = ui.px(4), x = cross.centre_x(), y = cross.centre_y();
  const Rgba ink = take_back.hovered ? ui.theme.text1 : ui.theme.text2;
  const std::array<ImVec2, 2> down{{{x - r, y - r}, {x + r, y + r}}}, up{{{x - r, y + r}, {x + r, y - r}}};
  ui.polyline(down, ink, ui.px(1.5f));
  ui.polyline(up, ink, ui.px(1.5f));
  for (const auto& [touch, box] : {std::pair{&take_back, &cross}, std::pair{&go, &row}})
    if (touch->focused) ui.frame(box->grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(6));
  tooltip(ui, take_back.hovered, cross, {"Take this back", {}, "The others stay.", {}});
  tooltip(ui, go.hovered, row,
          {lines.size() == 1 ? words : change.place,
           std::isnan(alone) ? std::string() : "KL of this change alone " + tight(alone) + " nats",
           "A click looks at the place that is changed.",
           {}});
  if (go.clicked) {
    look_at(c.scene, {where.of, where.block, where.head >= 0 ? where.head : c.scene.selection.head});
    model_state_of(c.scene.view).locked = true;
  }
  return take_back.clicked;
}

/// A button that shows the model without its changes while it is pressed.
void hold_without(Column& c, const Box& box) {
  const Ui& ui = c.ui();
  const Ui::Touch touch = ui.touch("Hold: without", box);
  ui.fill(box,
          touch.held      ? ui.theme.segment_on
          : touch.hovered ? ui.theme.control_hover
                          : ui.theme.control,
          ui.px(6));
  ui.text(box.centre_x(), box.centre_y(), c.scene.compact ? "Without" : "Hold: without",
          {type::label, ui.theme.text1, Ink::Medium, Align::Centre, box.w - ui.px(8)});
  if (touch.focused) ui.frame(box.grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(8));
  tooltip(
      ui, touch.hovered && !touch.held, box,
      {"The model as it is", {}, "While it is pressed all heads stand as they are without the changes.", {}});
  model_state_of(c.scene.view).without_changes = touch.held;
}

/// The place of a change; head −1: the whole block.
ModelHead place_of_change(const ModelChanges& changes, std::size_t index) {
  if (index < changes.blocks.size()) return {changes.blocks[index].of, changes.blocks[index].block, -1};
  const HeadChange& change = changes.heads[index - changes.blocks.size()];
  return {change.of, change.block, change.head};
}

/// True if the user takes everything back.
bool draw_buttons(Column& c) {
  const Ui& ui = c.ui();
  c.y += ui.px(4);
  const Box row = c.row(28);
  const float half = std::floor((row.w - ui.px(8)) / 2);
  hold_without(c, {row.x, row.y, half, row.h});
  return button(ui, c.scene.compact ? "All back" : "Take all back",
                {row.x + half + ui.px(8), row.y, row.w - half - ui.px(8), row.h},
                {"Take all back", {}, "The model is as it was opened.", {}});
}

/// The words shown if nothing is changed.
std::string_view words_of_none(const ModelReading& reading) {
  return reading.within.model->model->spec.has_logits()
             ? "Switch something off below, or in Explore: everything after it follows, the prediction "
               "too."
             : "Switch something off below, or in Explore: everything after it follows.";
}

/// The height of one change with its buttons, or of the words if that is larger: it is reserved in both
/// cases, so that the first change moves no control away from the mouse.
float least_height(const Column& c, std::string_view words) {
  const Ui& ui = c.ui();
  const float one = ui.px(28) + ui.px(4) + ui.px(4) + ui.px(28) + ui.px(8);
  return std::max(one, ui.paragraph_height(c.width, words, type::tick) + ui.px(8));
}

/// If one more change, or one less, moves the controls below, scrolls the column by as much: the pressed
/// control stays under the mouse, and a second click takes back what the first one did.
void keep_below_in_place(const Column& c, float top) {
  ModelState& state = model_state_of(c.scene.view);
  const float height = (c.y - top) / c.ui().scale();
  const float before = std::exchange(state.changes_height, height), moved = height - before;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool is_below = mouse.x >= c.x && mouse.x < c.x + c.width && mouse.y >= top + before * c.ui().scale();
  if (before > 0 && is_below) state.controls_scroll = std::max(0.f, state.controls_scroll + moved);
}

}  // namespace

void changes_section(Column& c) {
  const float top = c.y;
  const ModelReading& reading = *c.scene.model;
  const ModelContext now = c.document().within.read();
  model_state_of(c.scene.view).without_changes = false;
  const bool none = now.changes.empty();
  if (c.begin({.which = Section::Changes,
               .label = "Changes inside",
               .note = none              ? "none"
                       : c.scene.compact ? "KL alone"
                                         : "KL, each alone",
               .opens = Opens::Always})) {
    const float bottom = c.y + least_height(c, words_of_none(reading));
    // The effect of each change alone is known only for the changes of the reading.
    const bool same = reading.alone && reading.within.changes == now.changes;
    const std::vector<edit::ChangeWords> all = edit::list_of_changes(now);
    std::optional<std::size_t> gone;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double alone =
          same && i < reading.alone->divergences.size() ? reading.alone->divergences[i] : NAN;
      if (draw_change(c, all[i], alone, place_of_change(now.changes, i))) gone = i;
    }
    if (!reading.left_out.empty() && reading.within.changes == now.changes) c.remark(reading.left_out, true);
    if (none)
      c.remark(words_of_none(reading));
    else if (draw_buttons(c))
      change_within(c.scene, edit::without_changes);
    c.y = std::max(c.y, bottom);
    if (gone)
      change_within(c.scene,
                    [&](ModelContext within) { return edit::without_change(std::move(within), *gone); });
  }
  c.end();
  keep_below_in_place(c, top);
}

}  // namespace attnscope
