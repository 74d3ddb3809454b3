// app/views: the signals: up to four plots side by side; each is chosen in the title of its place.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/layout.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/views/signals/plots.hpp"

namespace attnscope {
namespace {

constexpr float least_place_width = 300;  // of a place, logical pixels

/// The places that fit, from the left. If four do not fit, the second is left out first: entropy per head,
/// which is there at the start, is in every thumbnail's tooltip as well.
std::vector<int> places_in(float width, float place) {
  const int count = std::clamp(static_cast<int>(width / place), 1, 4);
  if (count == 1) return {0};
  if (count == 2) return {0, 3};
  if (count == 3) return {0, 2, 3};
  return {0, 1, 2, 3};
}

void draw_plot(const PlotPlace& place) {
  switch (place.kind()) {
    case PlotKind::EntropyRows: return draw_entropy_rows(place);
    case PlotKind::EntropyHeads: return draw_entropy_heads(place);
    case PlotKind::EntropyMap: return draw_entropy_map(place);
    case PlotKind::Scores: return draw_scores(place);
    case PlotKind::Weights: return draw_weights(place);
    case PlotKind::Time: return draw_time(place);
    case PlotKind::GradientNorms: return draw_gradient_norms(place);
    case PlotKind::Received: return draw_received(place);
  }
}

/// The number that a plot marks for the chosen cell; empty if it is no single number.
std::string marked_number(const Shown& shown, PlotKind kind) {
  const Measures& all = shown.result.measures;
  const RowMeasures& row = all.row(shown.sequence(), shown.head(), shown.cell().query);
  const HeadMeasures& head = all.head(shown.sequence(), shown.head());
  switch (kind) {
    case PlotKind::EntropyRows: return fixed(row.entropy, 2) + " nats";
    case PlotKind::EntropyHeads: return fixed(head.entropy, 2) + " nats";
    case PlotKind::Weights: return "largest " + fixed(head.largest, 3);
    case PlotKind::Received: return fixed(head.received[static_cast<std::size_t>(shown.cell().key)], 2);
    case PlotKind::EntropyMap:
    case PlotKind::Scores:
    case PlotKind::Time:
    case PlotKind::GradientNorms: break;
  }
  return {};
}

}  // namespace

void draw_folded_signals(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  ui.horizontal(region.x, region.y, region.w, ui.theme.hairline);
  const std::vector<int> places = places_in(region.w, ui.px(180));
  const float pad = ui.px(14), width = region.w / static_cast<float>(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const PlotKind kind = PlotPlace{scene, {}, places[i]}.kind();
    const Box box{std::round(region.x + width * static_cast<float>(i)), region.y, width, region.h};
    if (i > 0) ui.vertical(box.x, box.y + ui.px(8), box.h - ui.px(16), ui.theme.hairline);
    const Ui::Touch touch = ui.touch(("Plot " + std::to_string(places[i] + 1)).c_str(), box);
    if (touch.hovered || touch.focused) ui.fill(box, fade(ui.theme.control_hover, 0.35f));
    Tip tip = words(kind);
    const std::string number = marked_number(scene, kind);
    const float room = box.w - 2 * pad;
    const float used = number.empty() ? 0 : ui.text_width(number, type::tick) + ui.px(8);
    ui.text(box.x + pad, box.centre_y(), tip.title,
            {type::tick, ui.theme.text2, Ink::Medium, Align::Left, room - used});
    ui.text(box.right() - pad, box.centre_y(), number,
            {type::tick, ui.theme.text1, Ink::Regular, Align::Right});
    tip.why =
        "A click opens the plots, a double click on their upper edge folds them again. A window too low for "
        "them keeps this line.";
    tooltip(ui, touch.hovered, box, tip);
    if (touch.clicked) regions_of(scene.view).sizes.signals = usual_signals(scene.compact);
  }
}

void draw_signals(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  ui.horizontal(region.x, region.y, region.w, ui.theme.hairline);
  const std::vector<int> places = places_in(region.w, ui.px(least_place_width));
  const float pad = ui.px(scene.compact ? 14 : 20);
  const float width = region.w / static_cast<float>(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const float x = std::round(region.x + width * static_cast<float>(i));
    const Box box{x + pad, region.y + ui.px(12), width - 2 * pad, region.h - ui.px(20)};
    if (i > 0) ui.vertical(x, region.y + ui.px(12), region.h - ui.px(24), ui.theme.hairline);
    if (box.w > ui.px(40) && box.h > ui.px(48)) draw_plot({scene, box, places[i]});
  }
}

}  // namespace attnscope
