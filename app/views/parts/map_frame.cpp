#include "app/views/parts/map_frame.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/own_words.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"

namespace attnscope {
namespace {

using Label = std::string (*)(const LayerResult&, std::int64_t sequence, std::int64_t index);

Label label_of(const Axis& axis, const HeatMapStyle& style) {
  if (style.places) return axis.keys ? placed_key_label : placed_query_label;
  return axis.keys ? key_label : query_label;
}

/// Over the first 4 sequences of the batch, so that maps side by side are aligned: their first 256 labels,
/// and at least the last one, which for keys may have no token.
float widest_label(const Shown& shown, const Axis& axis, const HeatMapStyle& style) {
  const Label label = label_of(axis, style);
  // Among numbered tokens, the last ones have the most digits.
  const std::int64_t last = std::max<std::int64_t>(1, axis.keys ? shown.result.dimensions.extra : 0);
  float widest = 0;
  for (std::int64_t b = 0; b < std::min<std::int64_t>(shown.result.dimensions.batch, 4); ++b) {
    const auto look = [&](std::int64_t i) {
      widest = std::max(widest, shown.ui.text_width(label(shown.result, b, i), type::label));
    };
    for (std::int64_t i = 0; i < std::min<std::int64_t>(axis.count, 256); ++i) look(i);
    for (std::int64_t i = axis.count - last; i < axis.count; ++i) look(i);
  }
  return widest;
}

float strip_width(const Ui& ui, const Box& area, const HeatMapStyle& style) {
  if (!style.strips) return 0;
  if (style.wide_strip) return ui.px(176);
  return style.caption ? ui.px(56) : std::clamp(std::floor(area.w * 0.22f), ui.px(80), ui.px(190));
}

/// Extends the axis to as many cells as fit into the room, from `wished` on.
void fill_room(Axis& axis, float begin, float room, float side, double wished) {
  const float whole = std::floor(side * static_cast<float>(axis.count));
  const float length = std::min(whole, std::floor(room));
  axis.shown = length < whole ? static_cast<double>(length) / static_cast<double>(side)
                              : static_cast<double>(axis.count);
  axis.first = axis.clamped(std::isfinite(wished) ? wished : 0);
  axis.place = {begin, length};
}

}  // namespace

Stretch Axis::cell(std::int64_t i) const {
  const auto edge = [&](std::int64_t at) {
    const double pixels = (static_cast<double>(at) - first) * static_cast<double>(place.length) / shown;
    return static_cast<float>(std::clamp(std::floor(pixels), 0.0, static_cast<double>(place.length)));
  };
  return {place.begin + edge(i), edge(i + 1) - edge(i)};
}

Part MapFrame::part() const {
  const Axis &q = queries(), &k = keys();
  return {q.first, k.first, q.shown, k.shown, turned()};
}

Box MapFrame::cell(Cell cell) const { return cell_box(cells, part(), cell.query, cell.key); }

Box MapFrame::visible_cell(Cell cell) const {
  const Stretch v = down.cell(down.keys ? cell.key : cell.query);
  const Stretch u = across.cell(across.keys ? cell.key : cell.query);
  return {u.begin, v.begin, u.length, v.length};
}

Cell MapFrame::under(ImVec2 point) const {
  const auto index = [](const Axis& axis, float pixel) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(axis.at(pixel))), 0, axis.count - 1);
  };
  const std::int64_t v = index(down, point.y), u = index(across, point.x);
  return turned() ? Cell{u, v} : Cell{v, u};
}

std::string MapFrame::label(const Axis& axis, std::int64_t i) const {
  return label_of(axis, style)(scene.result, b, i);
}

bool lies_flat(const Ui& ui, std::string_view label) {
  const std::string text = plain(label);
  const auto signs =
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return ui.text_width(label, type::label, Ink::Semibold) < ui.px(signs == 1 ? label_height - 1 : 10);
}

std::int64_t label_step(float side, float needed) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(needed / std::max(side, 0.001f))));
}

MapFrame plan_map(Scene& scene, const Box& area, std::int64_t b, const HeatMapStyle& style) {
  const Ui& ui = scene.ui;
  const Dimensions& d = scene.result.dimensions;
  const FocusState& focus = focus_of(scene.view);
  const Axis queries{.keys = false, .count = d.queries}, keys{.keys = true, .count = d.keys};
  MapFrame m{.scene = scene,
             .b = b,
             .h = scene.head(),
             .plane = style.plane.value_or(stage_look_of(scene.view).stage),
             .style = style,
             .marked = scene.cell(),
             .is_chosen = b == scene.sequence(),
             .area = area,
             .down = focus.turned ? keys : queries,
             .across = focus.turned ? queries : keys};
  const float top_label = widest_label(scene, m.across, style);
  m.label_width = std::clamp(widest_label(scene, m.down, style) + 1, ui.px(style.caption ? 44 : 56),
                             ui.px(style.caption ? 72 : 112));

  // Labels that do not fit over their columns are turned upright; the axis' name needs a line above them.
  const float below = style.strips ? ui.px(52) : 0;
  const float left = m.label_width + ui.px(18);
  const float room = area.w - left - m.strip_gap() - strip_width(ui, area, style);
  const auto columns = static_cast<float>(m.across.count), rows = static_cast<float>(m.down.count);
  const float guess = std::floor(std::min(room / columns, (area.h - below - m.caption() - ui.px(52)) / rows));
  m.upright = style.all_names && (m.across.count > 8 || top_label > guess - ui.px(6));
  m.label_room = m.upright ? std::min(top_label + ui.px(4), ui.px(96)) : ui.px(20);
  const auto head = [&] { return m.caption() + ui.px(style.all_names ? 22 : 0) + m.label_room + ui.px(8); };
  const auto fit = [&] { return std::min(room / columns, (area.h - head() - below) / rows); };
  if (m.upright && style.short_names && label_step(fit(), ui.px(label_height)) > most_skipped)
    m.label_room = std::min(m.label_room, ui.px(44));
  const float exact = fit(), height = area.h - head() - below;
  if (exact <= 0) return m;
  m.fitted = exact >= 2 ? std::min(std::floor(exact), ui.px(style.largest_cell)) : exact;
  const auto most = std::max(m.fitted, largest_side(ui));
  m.side = std::clamp(static_cast<float>(static_cast<double>(m.fitted) * std::max(1.0, focus.zoom)), m.fitted,
                      most);
  fill_room(m.across, std::round(area.x + left), room, m.side, m.across.keys ? focus.key : focus.query);
  fill_room(m.down, std::round(area.y + head()), height, m.side, m.down.keys ? focus.key : focus.query);
  m.cells = {m.across.place.begin, m.down.place.begin, m.across.place.length, m.down.place.length};
  return m;
}

namespace {

double zoom_for(const MapFrame& m, float side) {
  const float most = std::max(m.fitted, largest_side(m.ui()));
  return static_cast<double>(std::clamp(side, m.fitted, most)) / static_cast<double>(m.fitted);
}

}  // namespace

void zoom_to(const MapFrame& m, float side, ImVec2 point) {
  FocusState& focus = focus_of(m.scene.view);
  focus.zoom = zoom_for(m, side);
  const double now = static_cast<double>(m.fitted) * focus.zoom;
  const auto first = [&](const Axis& axis, float pixel) {
    return axis.at(pixel) - static_cast<double>(pixel - axis.place.begin) / now;
  };
  const double down = first(m.down, point.y), across = first(m.across, point.x);
  focus.query = std::max(0.0, m.turned() ? across : down);
  focus.key = std::max(0.0, m.turned() ? down : across);
}

void zoom_to(const MapFrame& m, float side, Cell middle) {
  FocusState& focus = focus_of(m.scene.view);
  focus.zoom = zoom_for(m, side);
  // The plan is not known before it is drawn: a map at this zoom without bounds tells how much is in sight.
  focus.query = focus.key = 0;
  const MapFrame there = plan_map(m.scene, m.area, m.b, m.style);
  const auto first = [](const Axis& axis, std::int64_t i) {
    return axis.clamped(static_cast<double>(i) + 0.5 - axis.shown / 2);
  };
  focus.query = first(there.queries(), middle.query);
  focus.key = first(there.keys(), middle.key);
}

void make_visible(const MapFrame& m, Cell cell) {
  const auto first = [](const Axis& axis, std::int64_t i) {
    const auto at = static_cast<double>(i);
    if (at < axis.first) return axis.clamped(at);
    return at + 1 > axis.first + axis.shown ? axis.clamped(at + 1 - axis.shown) : axis.first;
  };
  focus_of(m.scene.view).query = first(m.queries(), cell.query);
  focus_of(m.scene.view).key = first(m.keys(), cell.key);
}

}  // namespace attnscope
