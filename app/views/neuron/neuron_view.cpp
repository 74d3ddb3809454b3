#include "app/views/neuron/neuron_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/head_words.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/views/inspector/pages.hpp"
#include "app/views/neuron/neuron_table.hpp"
#include "app/views/parts/unknown.hpp"

namespace attnscope {
namespace {

/// A button with two arrows that point apart, or with a cross.
bool sign_button(const Ui& ui, const char* label, const Box& box, bool cross, const Tip& tip) {
  const Ui::Touch touch = ui.touch(label, box);
  if (touch.hovered) ui.fill(box, ui.theme.control_hover, ui.px(6));
  if (touch.focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(9));
  const Rgba ink = touch.hovered ? ui.theme.text1 : ui.theme.text2;
  const float x = box.centre_x(), y = box.centre_y(), r = ui.px(5), thick = std::max(1.f, ui.px(1.5f));
  const auto line = [&](ImVec2 a, ImVec2 b) { ui.polyline(std::array{a, b}, ink, thick); };
  if (cross) {
    line({x - r, y - r}, {x + r, y + r});
    line({x - r, y + r}, {x + r, y - r});
  } else {
    const float s = ui.px(5);
    ui.polyline(std::array{ImVec2{x + r - s, y - r}, ImVec2{x + r, y - r}, ImVec2{x + r, y - r + s}}, ink,
                thick);
    ui.polyline(std::array{ImVec2{x - r + s, y + r}, ImVec2{x - r, y + r}, ImVec2{x - r, y + r - s}}, ink,
                thick);
    line({x + ui.px(1), y - ui.px(1)}, {x + r, y - r});
    line({x - ui.px(1), y + ui.px(1)}, {x - r, y + r});
  }
  tooltip(ui, touch.hovered, box, tip);
  return touch.clicked;
}

/// The choices of the strip of the narrow form and of the order of dimensions, and the button for the large
/// view. Returns the y below.
float draw_choices(Scene& scene, const Box& line, bool can_expand) {
  const Ui& ui = scene.ui;
  InspectorState& state = inspector_of(scene.view);
  constexpr std::array<std::string_view, 3> names{"k", "q × k", "v"};
  constexpr std::array<Tip, 3> tips{
      Tip{"Keys", "k of every key", "The keys k; the query q stands above."},
      Tip{"Products", "q_d · k_d", "Which dimensions raise or lower the score."},
      Tip{"Values", "v of every key", "The values v; the head output z stands above."}};
  const unsigned unknown = knows_values(scene.result.document) ? 0 : 1u << 2;
  if (unknown != 0 && state.strip == NeuronStrip::Value) state.strip = NeuronStrip::Key;
  const float side = can_expand ? line.h : 0, strips = ui.px(scene.compact ? 96 : 112);
  if (const auto strip =
          segments(ui, "Strip", {line.x, line.y, strips, line.h}, names, static_cast<int>(state.strip), tips,
                   {.text_size = type::tick, .disabled = unknown}))
    state.strip = static_cast<NeuronStrip>(*strip);
  const Box expand{line.right() - side, line.y, side, side};
  if (can_expand && sign_button(ui, "Neurons large", expand, false,
                                {"Large", {}, "All strips side by side, in the place of the focus.", "E"}))
    toggle_large_neurons(scene);
  const float x = line.x + strips + ui.px(8);
  const float room = expand.x - ui.px(6) - x;
  if (room < ui.px(150)) {
    const bool sorted = state.by_contribution;
    if (toggle(ui, "Dimensions by contribution", "sorted", {x, line.y, room, line.h}, sorted,
               {"By contribution", "|q_d · k_d| of the chosen key",
                "What decides the chosen key's score comes first."}))
      state.by_contribution = !sorted;
  } else {
    draw_dimension_order(scene, {x, line.y, room, line.h});
  }
  return line.bottom();
}

/// The least width for all strips side by side, logical pixels.
constexpr float least_neuron_width = 500;

void draw_title(Scene& scene, const CellPlace& at, const Box& line) {
  const Ui& ui = scene.ui;
  const float y = line.centre_y(), side = ui.px(28);
  const std::string number = std::to_string(at.h);
  const Rgba hue = ui.theme.head(at.h);
  const float width = std::max(ui.px(18), ui.text_width(number, type::tick, Ink::Semibold) + ui.px(8));
  badge(ui, {line.x, y - ui.px(8), width, ui.px(16)}, number, hue, ink_on(hue));
  const Box close{line.right() - side, y - side / 2, side, side};
  if (sign_button(ui, "Close neurons", close, true,
                  {"Back to the matrix", {}, "Shows the head's picture again.", "E"}))
    toggle_large_neurons(scene);
  float right = close.x - ui.px(12);
  if (line.w >= ui.px(least_neuron_width)) {
    const float order = std::min(ui.px(232), line.w * 0.4f);
    draw_dimension_order(scene, {right - order, y - ui.px(14), order, ui.px(28)});
    right -= order + ui.px(12);
  }
  float x = line.x + width + ui.px(10);
  const auto say = [&](const std::string& text, const TextStyle& style) {
    TextStyle cut = style;
    cut.max_width = right - x;
    if (cut.max_width > ui.px(40)) x += ui.text(x, y, text, cut) + ui.px(10);
  };
  say("Neurons", {type::body, ui.theme.text1, Ink::Semibold});
  say("of “" + query_label(scene.result, at.b, at.query) + "”", {type::body, ui.theme.query, Ink::Medium});
  say(scored_name(scene.result, at.h), {type::label, ui.theme.text3});
}

}  // namespace

void toggle_large_neurons(Scene& scene) {
  inspector_of(scene.view).expanded = !inspector_of(scene.view).expanded;
}

float draw_neuron_page(Scene& scene, const CellPlace& at, const Box& area) {
  const Ui& ui = scene.ui;
  if (!knows_scores(scene.result.document))
    return draw_unknown(ui, area, "queries, keys and values", why_no_scores());
  const float y = draw_choices(scene, {area.x, area.y + ui.px(4), area.w, ui.px(26)}, true) + ui.px(10);
  const NeuronColumns columns = narrow_columns(ui, area, inspector_of(scene.view).strip);
  const auto rows = static_cast<float>(std::max<std::int64_t>(1, scene.result.dimensions.keys));
  const float row = std::clamp(std::floor((area.bottom() - y - ui.px(72)) / rows), ui.px(22), ui.px(28));
  return draw_neuron_table(scene, at, {area.x, y, area.w, area.bottom() - y}, columns,
                           {ui.theme.panel, row, "neuron"});
}

void draw_large_neurons(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(scene.compact ? 12 : 20), title = ui.px(48);
  const CellPlace at = inspected_place(scene);
  ui.fill(region, ui.theme.picture);
  ui.clip(region);
  draw_title(scene, at, {region.x + pad, region.y, region.w - 2 * pad, ui.px(44)});
  Box area{region.x + pad, region.y + title, region.w - 2 * pad, region.h - title - ui.px(8)};
  if (!knows_scores(scene.result.document)) {
    draw_unknown(ui, area, "queries, keys and values", why_no_scores());
  } else if (area.w > ui.px(190) && area.h > ui.px(120)) {
    const bool all = area.w >= ui.px(least_neuron_width) && knows_values(scene.result.document);
    if (!all) {
      const float below = draw_choices(scene, {area.x, area.y, area.w, ui.px(26)}, false) + ui.px(8);
      area = {area.x, below, area.w, area.bottom() - below};
    }
    const auto rows = static_cast<float>(std::max<std::int64_t>(1, scene.result.dimensions.keys));
    const float row = std::clamp(std::floor((area.h - ui.px(90)) / rows), ui.px(22), ui.px(40));
    const NeuronColumns columns =
        all ? large_columns(ui, area) : narrow_columns(ui, area, inspector_of(scene.view).strip);
    draw_neuron_table(scene, at, area, columns, {ui.theme.picture, row, "large neuron", true});
  }
  ui.unclip();
}

}  // namespace attnscope
