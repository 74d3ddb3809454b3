// app/views/long: the list of a head's strong lines, and the hovered one on the map.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/views/long/long_parts.hpp"
#include "core/engine/strong_lines.hpp"

namespace attnscope {
namespace {

using LineKind = StrongLine::Kind;

std::string rounded_percent(double share) {
  return fixed(100 * share, share >= 0.0995 ? 0 : share >= 0.00995 ? 1 : 2) + " %";
}

/// "the  1,204" for a key, "previous token", "412 back", "3 ahead" for a distance.
std::string name_of(const Shown& shown, const StrongLine& line) {
  const std::string count = grouped(std::abs(line.at));
  if (line.kind == LineKind::Column) {
    const std::string token = key_label(shown.result, shown.sequence(), line.at);
    return token == count ? "key " + count : token + "  " + count;
  }
  if (line.at == 0) return "the token itself";
  if (line.at == 1) return "previous token";
  if (line.at == -1) return "next token";
  return count + (line.at > 0 ? " back" : " ahead");
}

bool lies_on(const AttentionProblem& p, const StrongLine& line, Cell cell) {
  if (cell.query < line.first_query || cell.query >= line.last_query) return false;
  return cell.key == (line.kind == LineKind::Column ? line.at : p.offset + cell.query - line.at);
}

/// The cell of the line in the chosen query's row; if the line does not reach it, in the row of its middle.
Cell cell_on(const AttentionProblem& p, const StrongLine& line, std::int64_t query) {
  if (query < line.first_query || query >= line.last_query) query = (line.first_query + line.last_query) / 2;
  const std::int64_t key = line.kind == LineKind::Column ? line.at : p.offset + query - line.at;
  return {query, std::clamp<std::int64_t>(key, 0, p.keys - 1)};
}

void draw_sign(const Ui& ui, float x, float y, const StrongLine& line, Rgba ink) {
  const float half = ui.px(6);
  const std::array<ImVec2, 2> ends = line.kind == LineKind::Column
                                         ? std::array{ImVec2{x, y - half}, ImVec2{x, y + half}}
                                         : std::array{ImVec2{x - half, y - half}, ImVec2{x + half, y + half}};
  ui.polyline(ends, ink, std::max(1.f, ui.px(2)));
}

Tip tip_of(const StrongLine& line, std::string& words) {
  const std::string queries = grouped(line.first_query) + " – " + grouped(line.last_query - 1);
  words = "Queries " + queries + " put " + fixed(line.mean, 3) + " of their weight there on average, " +
          rounded_percent(line.share) + " of all attention of this head. A click goes there.";
  return line.kind == LineKind::Column ? Tip{"Column", "Σ w(i, key) / queries", words}
                                       : Tip{"Diagonal", "Σ w(i, i − distance) / queries", words};
}

/// One line of the list.
void draw_entry(Column& c, const StrongLine& line, std::size_t index) {
  Scene& scene = c.scene;
  const Ui& ui = c.ui();
  const AttentionProblem& p = survey_of(scene).problem();
  const Box box = c.row(40, 2);
  const std::string id = "Strong line " + std::to_string(index);
  const Ui::Touch touch = ui.touch(id.c_str(), box);
  const bool chosen = lies_on(p, line, scene.cell());
  if (chosen || touch.hovered) ui.fill(box, chosen ? ui.theme.control : ui.theme.control_hover, ui.px(4));
  if (chosen) ui.fill({box.x, box.y, ui.px(3), box.h}, ui.theme.query, ui.px(2));
  if (touch.focused) ui.frame(box.grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(6));
  const float x = box.x + ui.px(30), right = box.right() - ui.px(8), y = box.y + ui.px(12);
  draw_sign(ui, box.x + ui.px(16), box.centre_y(), line,
            line.kind == LineKind::Column ? ui.theme.key : ui.theme.query);
  const float number = ui.text(right, y, rounded_percent(line.share),
                               {type::label, ui.theme.text1, Ink::Medium, Align::Right});
  ui.text(x, y, name_of(scene, line),
          {type::label, ui.theme.text1, Ink::Regular, Align::Left, right - number - ui.px(8) - x});
  const bool all = line.first_query == 0 && line.last_query == p.queries;
  const std::string rows =
      all ? "all queries" : "queries " + grouped(line.first_query) + " – " + grouped(line.last_query - 1);
  ui.text(x, box.y + ui.px(29), rows, {type::tick, ui.theme.text3, Ink::Regular, Align::Left, right - x});
  std::string words;
  tooltip(ui, touch.hovered, box, tip_of(line, words));
  if (touch.hovered) long_view_of(scene.view).hovered_line = index;
  if (touch.clicked) scene.next.choose(cell_on(p, line, scene.selection.cell.query));
}

}  // namespace

void strong_lines_section(Column& c) {
  Scene& scene = c.scene;
  const std::size_t shown = scene.compact ? 3 : 5;
  if (c.begin({.which = Section::StrongLines,
               .label = "Columns and diagonals",
               .note = "share",
               .opens = Opens::Always})) {
    const LinesPlace place{scene.sequence(), scene.head()};
    scene.tiles->want(place);
    const LinesPtr lines = scene.tiles->find(place);
    if (!lines || (lines->empty() && survey_of(scene).known.received.size() == 0)) {
      c.remark("Looked for once more queries are known.");
    } else if (lines->empty()) {
      c.remark("None: no key and no distance stands out.");
    } else {
      for (std::size_t i = 0; i < std::min(shown, lines->size()); ++i) draw_entry(c, (*lines)[i], i);
      c.y += c.ui().px(4);
    }
  }
  c.end();
}

void draw_hovered_line(const MapFrame& m) {
  const auto index = std::exchange(long_view_of(m.scene.view).hovered_line, std::nullopt);
  const LinesPtr lines = m.scene.tiles->find(LinesPlace{m.b, m.h});
  if (!index || !lines || *index >= lines->size()) return;
  const StrongLine& line = (*lines)[*index];
  const AttentionProblem& p = survey_of(m.scene).problem();
  const auto pixel = [](const Axis& axis, double at) {
    return axis.place.begin + static_cast<float>((at - axis.first) / axis.shown) * axis.place.length;
  };
  const auto point = [&](std::int64_t query) {
    const double row = static_cast<double>(query) + 0.5;
    const double key = line.kind == LineKind::Column ? static_cast<double>(line.at) + 0.5
                                                     : static_cast<double>(p.offset - line.at) + row;
    const float q = pixel(m.queries(), row), k = pixel(m.keys(), key);
    return m.turned() ? ImVec2{q, k} : ImVec2{k, q};
  };
  const Ui& ui = m.ui();
  const Rgba ink = line.kind == LineKind::Column ? ui.theme.key : ui.theme.query;
  const std::array<ImVec2, 2> ends{point(line.first_query), point(line.last_query - 1)};
  ui.clip(m.cells);
  ui.polyline(ends, fade(ui.theme.picture, 0.7f), ui.px(5));
  ui.polyline(ends, ink, ui.px(2));
  for (const ImVec2 end : ends) ui.disc(end, ui.px(4), ink);
  ui.unclip();
}

}  // namespace attnscope
