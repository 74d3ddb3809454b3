// app/views/long: right of a long map: a minimap of the whole head, the exact cells round the chosen one, and
// the keys with the largest weights of its query.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_words.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/views/inspector/pages.hpp"
#include "app/views/long/long_parts.hpp"

namespace attnscope {
namespace {

/// The whole head small, with a frame around the part on the map; a click or a drag moves it.
float draw_minimap(Scene& scene, float x, float y, float width) {
  const Ui& ui = scene.ui;
  const Dimensions& d = scene.result.dimensions;
  ui.text(x, y, "Whole head", {type::body, ui.theme.text1, Ink::Semibold});
  ui.text(x + width, y, grouped(d.queries) + " × " + grouped(d.keys),
          {type::label, ui.theme.text3, Ink::Regular, Align::Right});
  const float most = std::min(width * 0.62f, ui.px(224));
  const float ratio = static_cast<float>(d.queries) / static_cast<float>(d.keys);
  const Box box{x, y + ui.px(20), std::max(ui.px(8), std::round(ratio > 1 ? most / ratio : most)),
                std::max(ui.px(8), std::round(ratio > 1 ? most : most * ratio))};
  const Part whole{0, 0, static_cast<double>(d.queries), static_cast<double>(d.keys), false};
  draw_long_picture(scene, {"minimap", box, scene.head(), whole});
  const LongState& seen = long_view_of(scene.view);
  const bool zoomed =
      seen.queries < static_cast<double>(d.queries) || seen.keys < static_cast<double>(d.keys);
  const auto share = [](double at, std::int64_t of, float length) {
    return static_cast<float>(std::clamp(at / static_cast<double>(of), 0.0, 1.0)) * length;
  };
  const float left = share(seen.first_key, d.keys, box.w), top = share(seen.first_query, d.queries, box.h);
  const Box frame{box.x + left, box.y + top, std::max(ui.px(6), share(seen.keys, d.keys, box.w)),
                  std::max(ui.px(6), share(seen.queries, d.queries, box.h))};
  if (zoomed) ui.frame(frame, ui.theme.text1, std::max(1.f, ui.px(1.5f)), ui.px(2));
  const Ui::Touch touch = ui.touch("Minimap", box);
  tooltip(ui, touch.hovered && !touch.held, box,
          {"Whole head", {}, "A click or a drag brings that part into the map."});
  if (touch.held && zoomed) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    FocusState& f = focus_of(scene.view);
    const auto first = [](float pixel, float length, std::int64_t count, double shown) {
      const double at = static_cast<double>(pixel / length) * static_cast<double>(count) - shown / 2;
      return std::clamp(at, 0.0, std::max(0.0, static_cast<double>(count) - shown));
    };
    f.query = first(mouse.y - box.y, box.h, d.queries, seen.queries);
    f.key = first(mouse.x - box.x, box.w, d.keys, seen.keys);
  }
  return box.bottom();
}

/// Beside the minimap: how many rows are known and the time taken.
void draw_survey_facts(const Shown& shown, float x, float y, float width) {
  const Ui& ui = shown.ui;
  const Survey& survey = survey_of(shown);
  const std::int64_t step = survey.known.rows.step;
  const std::string known = step == 1 ? "every query" : "every " + grouped(step) + (step == 2 ? "nd" : "th");
  const double seconds = shown.run.total_milliseconds / 1000;
  const std::pair<std::string_view, std::string> facts[] = {
      {"known", known},
      {"swept in", fixed(seconds, seconds < 10 ? 2 : 1) + " s"},
      {"picture cell", grouped(survey.cell) + " × " + grouped(survey.cell)},
      {"held in memory",
       bytes(4 * (survey.known.mean.size() + survey.known.max.size() + survey.known.output.size()))}};
  for (const auto& [name, value] : facts) {
    ui.text(x, y, name, {type::tick, ui.theme.text3, Ink::Regular, Align::Left, width});
    ui.text(x, y + ui.px(17), value, {type::label, ui.theme.text1, Ink::Medium, Align::Left, width});
    y += ui.px(44);
  }
}

/// The cells round the chosen one with labels and numbers.
float draw_exact_tile(Scene& scene, float x, float y, float width) {
  const Ui& ui = scene.ui;
  const Dimensions& d = scene.result.dimensions;
  const Cell chosen = scene.cell();
  const std::int64_t h = scene.head(), b = scene.sequence();
  ui.text(x, y, "Exact cells", {type::body, ui.theme.text1, Ink::Semibold});
  const bool difference = shows_long_difference(scene);
  ui.text(x + width, y, difference ? "now − held" : "not pooled",
          {type::label, ui.theme.text3, Ink::Regular, Align::Right});
  const float label = ui.px(72);
  const auto count = std::clamp<std::int64_t>(static_cast<std::int64_t>((width - label) / ui.px(44)), 2, 10);
  const float side = std::floor((width - label) / static_cast<float>(count));
  const auto first = [&](std::int64_t at, std::int64_t all) {
    return std::clamp<std::int64_t>(at - count / 2, 0, std::max<std::int64_t>(0, all - count));
  };
  const std::int64_t query0 = first(chosen.query, d.queries), key0 = first(chosen.key, d.keys);
  const float top = y + ui.px(96), left = x + label;
  ui.text(left, y + ui.px(26), "key →", {type::label, ui.theme.key, Ink::Medium});
  ui.text(left + ui.px(52), y + ui.px(26), grouped(key0), {type::tick, ui.theme.text3});
  ui.text(left - ui.px(10), top - ui.px(12), "query ↓",
          {type::label, ui.theme.query, Ink::Medium, Align::Right});
  ui.text(left - ui.px(10), top - ui.px(30), grouped(query0),
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  const ColourScale scale = difference ? long_difference_scale(scene, h, 0) : long_scale(scene, h);
  for (std::int64_t j = 0; j < std::min(count, d.keys); ++j) {
    const bool marked = key0 + j == chosen.key;
    ui.upright_text(left + (static_cast<float>(j) + 0.5f) * side, top - ui.px(6),
                    key_label(scene.result, b, key0 + j),
                    {type::tick, marked ? ui.theme.key : ui.theme.text2,
                     marked ? Ink::Semibold : Ink::Regular, Align::Left, ui.px(56)});
  }
  for (std::int64_t i = 0; i < std::min(count, d.queries); ++i) {
    const float row = top + static_cast<float>(i) * side;
    const bool marked = query0 + i == chosen.query;
    ui.text(left - ui.px(10), row + side / 2, query_label(scene.result, b, query0 + i),
            {type::tick, marked ? ui.theme.query : ui.theme.text2, marked ? Ink::Semibold : Ink::Regular,
             Align::Right, label - ui.px(12)});
    for (std::int64_t j = 0; j < std::min(count, d.keys); ++j) {
      const Cell cell{query0 + i, key0 + j};
      const Box box{left + static_cast<float>(j) * side, row, side - 1, side - 1};
      if (is_hidden_in(scene, difference, h, cell)) {
        ui.fill(box, ui.theme.hatch_ground);
        continue;
      }
      const std::optional<float> weight = weight_at(scene, difference, h, cell);
      ui.fill(box, weight ? colour_of(scale, *weight) : ui.theme.control);
      if (!weight) continue;
      const auto v = static_cast<double>(*weight);
      ui.text(box.centre_x(), box.centre_y(), std::abs(v) < 0.005 ? tight(v) : in_cell(v),
              {type::tick, ink_on(colour_of(scale, *weight)), Ink::Regular, Align::Centre, side});
    }
  }
  const Box at{left + static_cast<float>(chosen.key - key0) * side,
               top + static_cast<float>(chosen.query - query0) * side, side - 1, side - 1};
  ui.frame(at.grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(3));
  return top + static_cast<float>(std::min(count, d.queries)) * side;
}

/// The query's keys with the largest weights as bars; a click chooses the key.
void draw_strongest(Scene& scene, float x, float y, float width, float bottom) {
  const Ui& ui = scene.ui;
  const Cell chosen = scene.cell();
  const RowPlace place{scene.sequence(), scene.head(), chosen.query};
  scene.tiles->want(place);
  const auto row = scene.tiles->find(place);
  ui.text(x, y, "query " + grouped(chosen.query), {type::label, ui.theme.query, Ink::Medium});
  if (!row) return;
  const std::int64_t allowed = row->cells.measures.allowed;
  ui.text(x + width, y,
          allowed < 2 ? "n/a"
                      : "H " + fixed(row->cells.measures.entropy, 2) + " of " +
                            fixed(std::log(static_cast<double>(allowed)), 2) + " nats",
          {type::label, ui.theme.text2, Ink::Regular, Align::Right});
  y += ui.px(24);
  const float name = std::min(width * 0.4f, ui.px(140)), number = ui.px(64);
  float most = 0;
  for (const std::int32_t key : row->strongest)
    most = std::max(most, row->cells.weights[static_cast<std::size_t>(key)]);
  for (std::size_t i = 0; i < row->strongest.size() && y + ui.px(12) < bottom; ++i, y += ui.px(24)) {
    const std::int64_t key = row->strongest[i];
    const float weight = row->cells.weights[static_cast<std::size_t>(key)];
    if (weight == 0) break;
    const bool marked = key == chosen.key;
    const Box line{x, y - ui.px(11), width, ui.px(22)};
    const std::string id = "Strong key " + std::to_string(i);
    const Ui::Touch touch = ui.touch(id.c_str(), line);
    if (touch.hovered) ui.fill(line.grown(ui.px(2)), ui.theme.control_hover, ui.px(4));
    const std::string token = key_label(scene.result, scene.sequence(), key), count = grouped(key);
    ui.text(
        x, y, plain(token) == std::to_string(key) ? "key " + count : token + "  " + count,
        {type::label, marked ? ui.theme.key : ui.theme.text2, Ink::Regular, Align::Left, name - ui.px(8)});
    const Box track{x + name, y - ui.px(4), width - name - number, ui.px(8)};
    ui.fill(track, ui.theme.bar_ground, ui.px(2));
    ui.fill({track.x, track.y, std::max(1.f, track.w * weight / most), track.h},
            marked ? ui.theme.key : ui.theme.bar, ui.px(2));
    ui.text(x + width, y, in_full(static_cast<double>(weight)),
            {type::label, ui.theme.text1, Ink::Regular, Align::Right});
    tooltip(ui, touch.hovered, line, {"Strong key", "rank in the row", "A click goes to this key."});
    if (touch.clicked) scene.next.choose({chosen.query, key});
  }
}

/// The choice of the cells round the chosen one or a page of the inspector, which is always of A. There is no
/// page Neurons: it needs the vectors of all keys at once.
void draw_tabs(Scene& scene, const Box& line) {
  const Ui& ui = scene.ui;
  constexpr std::array pages{InspectorPage::Cell, InspectorPage::Row, InspectorPage::Vectors};
  std::array<std::string_view, 4> names{"Around"};
  std::array<Tip, 4> tips{
      Tip{"Around", {}, "The cells round the chosen one, and the keys its query looks at most.", "K"}};
  bool& around = long_view_of(scene.view).around;
  InspectorPage& page = inspector_of(scene.view).page;
  if (page == InspectorPage::Neurons) page = InspectorPage::Cell;
  int chosen = 0;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    names[i + 1] = name_of(pages[i]);
    tips[i + 1] = tip_of(pages[i]);
    if (!around && page == pages[i]) chosen = static_cast<int>(i) + 1;
  }
  draw_pin_button(scene, {line.right() - line.h, line.y, line.h, line.h});
  const float tabs = std::min(line.w - line.h - ui.px(8), ui.px(256));
  const auto taken = segments(ui, "Inspector", {line.x, line.y, tabs, line.h}, names, chosen, tips,
                              {.text_size = tabs < ui.px(240) ? type::tick : type::label});
  if (!taken) return;
  around = *taken == 0;
  if (!around) page = pages[static_cast<std::size_t>(*taken - 1)];
}

}  // namespace

void draw_long_side(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(scene.compact ? 14 : 20), x = region.x + pad, width = region.w - 2 * pad;
  ui.vertical(region.x, region.y, region.h, ui.theme.hairline);
  const float top = region.y + ui.px(24);
  float y = draw_minimap(scene, x, top, width);
  const float facts = std::min(width * 0.62f, ui.px(224)) + ui.px(16);
  draw_survey_facts(scene, x + facts, top + ui.px(28), width - facts);
  y = std::max(y, top + ui.px(196)) + ui.px(16);
  ui.horizontal(x, y, width, ui.theme.hairline);
  draw_tabs(scene, {x, y + ui.px(10), width, ui.px(26)});
  y += ui.px(44);
  if (!long_view_of(scene.view).around)
    return draw_chosen_page(scene, {region.x + 1, y, region.w - 1, region.bottom() - y});
  y = draw_exact_tile(scene, x, y + ui.px(12), width) + ui.px(28);
  draw_strongest(scene, x, y, width, region.bottom() - ui.px(8));
}

}  // namespace attnscope
