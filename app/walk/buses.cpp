#include "app/walk/buses.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace attnscope::walk {
namespace {

constexpr float pi = 3.14159265f;

/// An arrow of one piece, from left to right.
void draw_arrow(const Ui& ui, float from, float to, float y, Rgba ink) {
  const float line = std::max(1.f, ui.px(1.5f)), head = ui.px(6);
  if (to - from < head) return;
  const std::array<ImVec2, 2> shaft{ImVec2{from, y}, ImVec2{to - head, y}};
  ui.polyline(shaft, ink, line);
  const std::array<ImVec2, 3> tip{ImVec2{to - head, y - ui.px(4)}, ImVec2{to, y},
                                  ImVec2{to - head, y + ui.px(4)}};
  ui.area(tip, ink);
}

/// Through all points, with round corners; the last piece ends in an arrow head that points down.
void draw_bus(const Ui& ui, const std::vector<ImVec2>& points, Rgba ink) {
  const float most = ui.px(7), head = ui.px(7);
  std::vector<ImVec2> path{points.front()};
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const ImVec2 before = points[i - 1], corner = points[i], after = points[i + 1];
    const auto length = [](ImVec2 a, ImVec2 b) { return std::hypot(b.x - a.x, b.y - a.y); };
    const float in = length(before, corner), out = length(corner, after);
    const float radius = std::min({most, in / 2, out / 2});
    if (in <= 0 || out <= 0) continue;
    const ImVec2 u{(corner.x - before.x) / in, (corner.y - before.y) / in};
    const ImVec2 w{(after.x - corner.x) / out, (after.y - corner.y) / out};
    for (int step = 0; step <= 6; ++step) {
      const float a = pi / 2 * static_cast<float>(step) / 6;
      const float along = radius * (1 - std::sin(a)), beyond = radius * (1 - std::cos(a));
      path.push_back({corner.x - u.x * along + w.x * beyond, corner.y - u.y * along + w.y * beyond});
    }
  }
  const ImVec2 end = points.back();
  path.push_back({end.x, end.y - head});
  ui.polyline(path, ink, std::max(1.f, ui.px(1.5f)));
  const std::array<ImVec2, 3> tip{ImVec2{end.x - ui.px(4), end.y - head},
                                  ImVec2{end.x + ui.px(4), end.y - head}, end};
  ui.area(tip, ink);
}

const Matrix* find(const std::vector<Matrix>& matrices, Stage stage) {
  const auto at = std::find_if(matrices.begin(), matrices.end(), [&](const Matrix& m) {
    return m.panel.stage == stage && !m.panel.is_parameter() && m.panel.unit != Unit::Model;
  });
  return at == matrices.end() || at->place.cells.w < 1 ? nullptr : &*at;
}

/// The vectors that the scores multiply: the last of these stages that is on screen.
const Matrix* operand_of(const std::vector<Matrix>& matrices, std::initializer_list<Stage> stages) {
  const Matrix* last = nullptr;
  for (const Stage stage : stages)
    if (const Matrix* there = find(matrices, stage); there != nullptr) last = there;
  return last;
}

/// From the chosen row of a matrix, down beside it, along its own lane of the gutter, to `to` (x, y).
void lead(const Matrix& from, std::int64_t row, ImVec2 to, float lane, Rgba hue) {
  const Ui& ui = from.ui();
  const Box& cells = from.place.cells;
  const Box box = from.row_box(row);
  const float y = from.shows_row(row) ? std::round(box.centre_y()) : cells.bottom();
  const float x = std::round(std::max(cells.right(), from.place.slot.x) + ui.px(12));
  draw_bus(ui, {{cells.right() + ui.px(3), y}, {x, y}, {x, lane}, {to.x, lane}, to}, hue);
}

/// The height of the line's token rows; its parameters may be higher.
float token_height(const std::vector<Matrix>& matrices, bool lower) {
  for (const Matrix& m : matrices)
    if (m.panel.lower == lower && !m.panel.is_parameter()) return m.place.cells.h;
  return 0;
}

}  // namespace

void draw_signs(const std::vector<Matrix>& matrices) {
  for (const Matrix& m : matrices) {
    if (m.panel.sign.empty() || m.place.cells.w < 1) continue;
    const Ui& ui = m.ui();
    const bool reached = m.view.light(m.panel.stage) >= 1;
    const bool lower = m.panel.lower;
    // The sign is at the left of the row labels, if there are any.
    const float right = m.place.cells.x - (m.panel.labelled ? label_width(m.view, m.panel) + ui.px(14) : 0);
    const float y = std::round(m.place.cells.y + token_height(matrices, lower) / 2);
    if (m.panel.sign == "→") {
      const bool now = m.view.current() == m.panel.stage;
      const Rgba ink = now ? ui.theme.query : reached ? ui.theme.text3 : ui.theme.border;
      draw_arrow(ui, right - ui.px(lower ? 23 : 22), right - ui.px(9), y, ink);
      continue;
    }
    ui.text(right - ui.px(11), y, m.panel.sign,
            {type::body, reached ? ui.theme.text2 : ui.theme.text3, Ink::Regular, Align::Right});
  }
}

void draw_buses(const std::vector<Matrix>& matrices, const Box& gutter) {
  if (matrices.empty()) return;
  const View& v = matrices.front().view;
  const Ui& ui = v.ui();
  const Matrix* q = operand_of(matrices, {Stage::Query, Stage::NormQuery, Stage::RotateQuery});
  const Matrix* k = operand_of(matrices, {Stage::Key, Stage::NormKey, Stage::RotateKey});
  const Matrix* value = find(matrices, Stage::Value);
  const Matrix* mix = find(matrices, Stage::Mix);
  const Matrix* scores = find(matrices, v.document().layer().linear ? Stage::Linear : Stage::Score);
  if (gutter.h < ui.px(20)) return;
  const float step = std::min(ui.px(7), gutter.h / 6), first = gutter.y + ui.px(3),
              end = gutter.bottom() - ui.px(9);
  const auto hue_at = [&](Rgba hue, const Matrix& used) {
    return fade(hue, std::max(0.5f, v.light(used.panel.stage)));
  };
  // Q above K above V: no two of them cross.
  if (scores != nullptr) {
    const float x = scores->place.slot.x;
    if (q != nullptr)
      lead(*q, v.cell.query, {x + ui.px(12), end}, std::round(first), hue_at(ui.theme.query, *scores));
    if (k != nullptr)
      lead(*k, v.cell.key, {x + ui.px(26), end}, std::round(first + step), hue_at(ui.theme.key, *scores));
  }
  if (value != nullptr && mix != nullptr)
    lead(*value, v.cell.key, {mix->place.slot.x + ui.px(12), end}, std::round(first + 2 * step),
         hue_at(ui.theme.value, *mix));
}

}  // namespace attnscope::walk
