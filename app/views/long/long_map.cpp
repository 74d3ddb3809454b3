// app/views/long: the map of the head: all of it or a part, down to single cells with their numbers.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/long/long_parts.hpp"
#include "app/views/parts/map_parts.hpp"

namespace attnscope {
namespace {

/// what_is_pooled(), after "held", "now" or "now − held" while something is held.
std::string what_is_shown(const Scene& scene, int level) {
  const std::string words = what_is_pooled(scene, long_view_of(scene.view).mean, level);
  if (shows_long_difference(scene))
    return level == 0 ? std::string("now − held of the weights") : "now − held   ·   " + words;
  if (!scene.held) return words;
  return (long_side(scene) == LongSide::B ? "held   ·   " : "now   ·   ") + words;
}

/// The choice of now, held or now − held; returns its left end.
float draw_side_choice(Scene& scene, float right, float y) {
  constexpr std::array<std::string_view, 3> names{"now", "held", "now − held"};
  constexpr std::array<Tip, 3> tips{
      Tip{"Now", {}, "What is shown and edited."}, Tip{"Held", {}, "What is held.", "X"},
      Tip{"Difference", "now − held of each cell",
          "Exact where single cells are shown; of blocks the difference of their largest or mean weights.",
          "/"}};
  const Box box{right - scene.ui.px(190), y - scene.ui.px(13), scene.ui.px(190), scene.ui.px(26)};
  LongSide& side = long_view_of(scene.view).side;
  if (const auto c =
          segments(scene.ui, "Side", box, names, static_cast<int>(side), tips, {.text_size = type::tick}))
    side = static_cast<LongSide>(*c);
  return box.x;
}

/// The choices of side, pooling and colours at the right end of the title; returns their left end.
float draw_title_choices(Scene& scene, float right, float y) {
  const Ui& ui = scene.ui;
  constexpr std::array<std::string_view, 2> colours{"Linear", "Log"};
  constexpr std::array<Tip, 2> colour_tips{
      Tip{"Linear", "0 … 1", "Colours follow the weight itself.", "L"},
      Tip{"Logarithmic", "1e−5 … 1", "Small weights, which are most of them, can be told apart.", "L"}};
  if (scene.held) right = draw_side_choice(scene, right, y) - ui.px(8);
  const bool difference = shows_long_difference(scene);  // centred on zero: no logarithm
  const Box log{right - ui.px(difference ? 0 : 124), y - ui.px(13), ui.px(124), ui.px(26)};
  if (!difference)
    if (const auto c = segments(ui, "Colour", log, colours, focus_of(scene.view).log ? 1 : 0, colour_tips,
                                {.text_size = type::tick}))
      focus_of(scene.view).log = *c == 1;
  return draw_pool_choice(scene, log.x - ui.px(difference ? 0 : 8), y);
}

void draw_long_title(Scene& scene, const Box& region, float pad, int level) {
  const Ui& ui = scene.ui;
  const std::int64_t h = scene.head();
  const float y = region.y + ui.px(24);
  float x = region.x + pad;
  const Rgba hue = ui.theme.head(h);
  badge(ui, {x, y - ui.px(9), ui.px(22), ui.px(18)}, std::to_string(h), hue, ink_on(hue));
  x += ui.px(32);
  x += ui.text(x, y, "Head " + std::to_string(h), {type::title, ui.theme.text1, Ink::Semibold}) + ui.px(12);
  // A figure needs no choices: it has the sentence and the colour bar.
  const float end =
      ui.is_figure() ? region.right() - pad : draw_title_choices(scene, region.right() - pad, y);
  ui.text(x, y, what_is_shown(scene, level),
          {type::label, ui.theme.text3, Ink::Regular, Align::Left, end - ui.px(12) - x});
}

/// A click on a pooled cell chooses its strongest known cell, so that thin lines can be hit.
Cell aimed_at(const MapFrame& m, Cell under, int level) {
  const Survey& survey = survey_of(m.scene);
  const std::int64_t size = std::int64_t{1} << level, step = survey.known.rows.step;
  const std::int64_t query = under.query / size * size, key = under.key / size * size;
  const std::int64_t rows = survey.known.log_sum_exp.shape()[1], head = m.h - survey.known.first_head;
  Cell best = under;
  float most = 0;
  for (std::int64_t r = (query + step - 1) / step; r < rows && r * step < query + size; ++r) {
    const std::int32_t strongest = survey.known.strongest[static_cast<std::size_t>(head * rows + r)];
    const float weight = survey.known.largest.matrix()(head, r);
    if (strongest >= key && strongest < key + size && weight > most) {
      most = weight;
      best = {r * step, strongest};
    }
  }
  return best;
}

void take_long_mouse(const MapFrame& m, int level, const char* name) {
  ImGui::SetNextItemAllowOverlap();
  const Ui::Touch touch = m.ui().touch(name, m.cells);
  if (touch.focused)
    m.ui().frame(m.cells.grown(m.ui().px(3)), m.ui().theme.query, m.ui().px(2), m.ui().px(4));
  if (touch.hovered && !touch.pointed) return;  // hovered by the keyboard, not by the mouse
  const bool is_gesture = take_gestures(m, touch, true);
  if (is_gesture || !ImGui::IsMousePosValid() || !(touch.hovered || touch.clicked)) return;
  const Cell under = m.under(ImGui::GetIO().MousePos);
  if (touch.clicked) {
    m.scene.next.choose(aimed_at(m, under, level));
  } else if (level == 0) {
    m.scene.next.hovered_cell = under;
  }
  const std::int64_t size = std::int64_t{1} << level;
  const auto block = [&](std::int64_t i) {
    const std::int64_t from = i / size * size;
    return size == 1 ? grouped(from) : grouped(from) + " – " + grouped(from + size - 1);
  };
  m.scene.view.hint = "query  " + block(under.query) + "   ·   key  " + block(under.key) +
                      "   ·   a click chooses, the wheel zooms, a drag moves";
}

/// Numbers in cells that are large enough.
void draw_exact_numbers(const MapFrame& m, const ColourScale& scale, bool difference) {
  if (!m.prints_values()) return;
  const Ui& ui = m.ui();
  for (std::int64_t i = m.queries().from(); i < m.queries().to(); ++i) {
    for (std::int64_t j = m.keys().from(); j < m.keys().to(); ++j) {
      if (is_hidden_in(m.scene, difference, m.h, {i, j})) continue;
      const Box cell = m.visible_cell({i, j});
      if (cell.w < m.side * 0.9f - 1 || cell.h < std::min(m.side - 1, ui.px(16))) continue;
      const std::optional<float> weight = weight_at(m.scene, difference, m.h, {i, j});
      if (!weight) continue;
      const auto v = static_cast<double>(*weight);
      const std::string text = std::abs(v) < 0.005 ? tight(v) : m.side > ui.px(80) ? fixed(v, 4) : in_cell(v);
      const auto size = m.side > ui.px(48) ? type::label : type::tick;
      if (ui.text_width(text, size) > m.side) continue;  // numbers that touch would be read as one
      ui.text(cell.centre_x(), cell.centre_y(), text,
              {size, ink_on(colour_of(scale, *weight)), Ink::Regular, Align::Centre, m.side});
    }
  }
}

}  // namespace

std::optional<Cell> strongest_visible(const Shown& shown, const MapFrame& m) {
  constexpr std::int64_t least_keys = 16;  // among fewer keys a large weight is no news
  const Survey& survey = survey_of(shown);
  const AttentionProblem& p = survey.problem();
  const std::int64_t rows = survey.known.log_sum_exp.shape()[1], head = m.h - survey.known.first_head;
  const std::int64_t step = survey.known.rows.step;
  std::optional<Cell> best;
  float most = 0;
  for (std::int64_t r = (m.queries().from() + step - 1) / step; r < rows && r * step < m.queries().to();
       ++r) {
    const std::int64_t key = survey.known.strongest[static_cast<std::size_t>(head * rows + r)];
    const float weight = survey.known.largest.matrix()(head, r);
    if (weight <= most || key < m.keys().from() || key >= m.keys().to()) continue;
    if (allowed_keys(p, m.h, r * step) < least_keys) continue;
    most = weight;
    best = Cell{r * step, key};
  }
  return best;
}

std::optional<Cell> find_place(const Scene& scene, const std::string& text) {
  const Dimensions& d = scene.result.dimensions;
  std::string digits;
  for (const char c : text)
    if (c != ' ') digits += c;
  const bool is_number = !digits.empty() && digits.find_first_not_of("0123456789,") == std::string::npos;
  if (is_number) {
    // A comma and a blank separate query and key: "27353, 15066". "15,066" is one number.
    const std::size_t comma = text.find(", ");
    const auto number = [](const std::string& part, std::int64_t count) {
      std::int64_t value = 0;
      for (const char c : part)
        if (c >= '0' && c <= '9' && value < (std::int64_t{1} << 50)) value = value * 10 + (c - '0');
      return std::clamp<std::int64_t>(value, 0, count - 1);
    };
    if (comma == std::string::npos) return Cell{number(text, d.queries), scene.selection.cell.key};
    return Cell{number(text.substr(0, comma), d.queries), number(text.substr(comma), d.keys)};
  }
  for (std::int64_t i = 1; i <= d.keys; ++i) {
    const std::int64_t key = (scene.selection.cell.key + i) % d.keys;
    if (plain(key_label(scene.result, scene.sequence(), key)) == text)
      return Cell{scene.selection.cell.query, key};
  }
  return std::nullopt;
}

std::string what_is_pooled(const Shown& shown, bool mean, int level) {
  const std::string size = grouped(std::int64_t{1} << level);
  std::string words = level == 0 ? std::string("every weight")
                                 : std::string(mean ? "mean" : "largest") + " weight in each " + size +
                                       " × " + size + " block";
  const std::int64_t step = survey_of(shown).known.rows.step;
  if (step > 1) words += " · of every " + grouped(step) + (step == 2 ? "nd query so far" : "th query so far");
  return words;
}

float draw_pool_choice(Scene& scene, float right, float y) {
  constexpr std::array<std::string_view, 2> pools{"Max", "Mean"};
  constexpr std::array<Tip, 2> tips{
      Tip{"Largest", "max over the block", "Thin lines survive however far one zooms out."},
      Tip{"Mean", "Σ w / cells of the block", "How much weight lies there; a thin line nearly vanishes."}};
  const Ui& ui = scene.ui;
  const Box pool{right - ui.px(116), y - ui.px(13), ui.px(116), ui.px(26)};
  bool& mean = long_view_of(scene.view).mean;
  if (const auto c = segments(ui, "Pool", pool, pools, mean ? 1 : 0, tips, {.text_size = type::tick}))
    mean = *c == 1;
  return pool.x;
}

namespace {

/// Notes the part that the map shows, and serves the request for the strongest cell.
void lead(Scene& scene, const MapFrame& m) {
  LongState& state = long_view_of(scene.view);
  state.first_query = m.queries().first;
  state.first_key = m.keys().first;
  state.queries = m.queries().shown;
  state.keys = m.keys().shown;
  if (!state.to_strongest) return;
  state.to_strongest = false;
  if (const auto cell = strongest_visible(scene, m)) scene.next.choose(*cell);
}

}  // namespace

std::optional<DrawnLongMap> draw_one_long_map(Scene& scene, const LongMap& map) {
  const HeatMapStyle style{.wide_strip = false, .strips = map.strips, .name = map.name};
  const MapFrame first = plan_map(scene, map.area, scene.sequence(), style);
  if (first.cells.w < 1 || first.cells.h < 1) return std::nullopt;
  if (map.leads) follow_requests(first);
  const MapFrame m = plan_map(scene, map.area, scene.sequence(), style);
  if (map.leads) lead(scene, m);
  draw_axis_names(m);
  draw_labels(m);
  const std::string picture = std::string(map.name) + " picture";
  const int level =
      draw_long_picture(scene, {picture.c_str(), m.cells, m.h, m.part(), map.difference, map.scale});
  const ColourScale scale = map.scale        ? *map.scale
                            : map.difference ? long_difference_scale(scene, m.h, level)
                                             : long_scale(scene, m.h);
  draw_exact_numbers(m, scale, map.difference);
  draw_hovered_line(m);
  const float room = map.area.right() - m.cells.right() - m.strip_gap();
  if (map.strips) draw_long_strips(m, std::clamp(room, 1.f, m.ui().px(64)), map.difference);
  draw_crosshair(m, m.cells.right());
  draw_mark(m);
  take_long_mouse(m, level, map.name);
  draw_scroll_bars(m);
  return DrawnLongMap{m.cells, level, scale};
}

void draw_long_map(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(scene.compact ? 12 : 20), title = ui.px(48), bar = ui.px(56);
  ui.fill(region, ui.theme.picture);
  ui.clip(region);
  if (const std::string why = why_no_long_difference(scene);
      long_side(scene) != LongSide::A && !why.empty()) {
    draw_long_title(scene, region, pad, 0);
    const float width = std::min(region.w - 2 * pad, ui.px(420));
    ui.paragraph(region.centre_x(), std::round(region.centre_y() - ui.px(24)), width, why,
                 {type::label, ui.theme.text2, Ink::Regular, Align::Centre});
    ui.unclip();
    return;
  }
  const Box area{region.x + pad, region.y + title, region.w - 2 * pad, region.h - title - bar};
  if (const auto drawn = draw_one_long_map(scene, {area, shows_long_difference(scene)})) {
    draw_long_bar(scene, {area.x, area.bottom(), area.w, bar}, drawn->cells, drawn->scale);
    draw_long_title(scene, region, pad, drawn->level);
  }
  ui.unclip();
}

}  // namespace attnscope
