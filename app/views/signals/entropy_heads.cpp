// app/views/signals: the mean entropy of every head as a bar, a whisker from its lowest to its highest row,
// and a mark at B's mean.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/views/signals/plots.hpp"

namespace attnscope {
namespace {

struct RowSpread {
  double mean, low, high;
};

RowSpread spread_of(const HeadMeasures& head, bool normalised) {
  if (normalised) return {head.normalised, head.normalised_min, head.normalised_max};
  return {head.entropy, head.entropy_min, head.entropy_max};
}

std::string entropy_number(double v) { return std::isnan(v) ? "n/a" : fixed(v, 2); }

/// The text of the mean: "n/a" if it is not defined, "NaN" if weights are not finite.
std::string mean_text(const HeadMeasures& head, const RowSpread& spread) {
  return head.not_finite == 0 ? entropy_number(spread.mean) : "NaN";
}

/// One head's row of the plot.
struct HeadRow {
  std::int64_t head;
  Box box;        // over the whole width, takes the mouse
  bool labelled;  // there is room for its number
};

void draw_whisker(const Ui& ui, const Axes& axes, float y, const RowSpread& spread, bool chosen) {
  const float tall = ui.px(6);
  const Rgba colour = chosen ? ui.theme.text1 : ui.theme.text3;
  const float x0 = axes.x(spread.low), x1 = axes.x(spread.high);
  ui.horizontal(x0, y, x1 - x0, colour);
  ui.vertical(x0, y - tall / 2, tall, colour);
  ui.vertical(x1, y - tall / 2, tall, colour);
}

void draw_bar(const Shown& scene, const Axes& axes, const HeadRow& row, const RowSpread& a,
              const std::optional<RowSpread>& b) {
  const Ui& ui = scene.ui;
  const bool chosen = row.head == scene.head();
  const bool low = row.box.h < ui.px(7);  // many heads: only the shown head has a whisker
  const float y = std::round(row.box.centre_y());
  const float height = std::clamp(std::round(row.box.h * (low ? 0.75f : 0.5f)), 1.f, ui.px(8));
  if (std::isfinite(a.mean)) {
    const Rgba hue = chosen ? ui.theme.head(row.head) : fade(ui.theme.head(row.head), 0.5f);
    ui.fill({axes.area.x, std::round(y - height / 2), axes.x(a.mean) - axes.area.x, height}, hue, ui.px(2));
    if (!low || chosen) draw_whisker(ui, axes, y, a, chosen);
  }
  if (b && std::isfinite(b->mean)) {
    const float tall = std::max(height, std::min(row.box.h - 1, height + ui.px(4)));
    const float x = std::round(axes.x(b->mean) - ui.px(1));
    ui.fill({x, std::round(y - tall / 2), ui.px(chosen ? 3 : 2), tall}, ui.theme.b);
  }
  if (!row.labelled) return;
  const Ink ink = chosen ? Ink::Semibold : Ink::Regular;
  ui.text(axes.area.x - ui.px(8), y, std::to_string(row.head),
          {type::tick, chosen ? ui.theme.text1 : ui.theme.text3, ink, Align::Right});
  const HeadMeasures& head = scene.result.measures.head(scene.sequence(), row.head);
  const Rgba colour = head.not_finite > 0 ? ui.theme.error : chosen ? ui.theme.text1 : ui.theme.text2;
  ui.text(row.box.right() - ui.px(4), y, mean_text(head, a), {type::tick, colour, ink, Align::Right});
}

/// The end of the axis in nats: the largest row entropy of A, or head mean of B.
double most_of(const Measures& a, const Measures* b, std::int64_t sequence) {
  double most = 0.1;
  for (std::int64_t h = 0; h < a.heads; ++h) {
    most = std::fmax(most, a.head(sequence, h).entropy_max);
    if (b) most = std::fmax(most, b->head(sequence, h).entropy);
  }
  return most;
}

void draw_read_out(const Shown& shown, const Axes& axes, const HeadRow& row, const RowSpread& a,
                   const std::optional<RowSpread>& b) {
  std::string text =
      shown.ui.fitted(role_name(shown.result, row.head), type::tick, Ink::Medium, shown.ui.px(96)) + "  " +
      entropy_number(a.mean);
  if (std::isfinite(a.mean))
    text += "  (" + own_number(entropy_number(a.low)) + " to " + own_number(entropy_number(a.high)) + ")";
  if (b) text += "  held " + own_number(entropy_number(b->mean));
  draw_value_tag(shown.ui, axes, {std::isfinite(a.mean) ? axes.x(a.mean) : axes.area.x, row.box.centre_y()},
                 text);
}

}  // namespace

void draw_entropy_heads(const PlotPlace& place) {
  Scene& scene = place.scene;
  const Ui& ui = scene.ui;
  const Measures& a = scene.result.measures;
  const Measures* held = held_measures(scene);
  SignalsState& state = signals_of(scene.view);
  TitleLine title(place);
  constexpr std::array<std::string_view, 2> names{"nats", "0–1"};
  constexpr std::array<Tip, 2> tips{
      Tip{"In nats", "mean of H over the rows", "Whisker: from the lowest row to the highest."},
      Tip{"Normalised", "mean of H / ln(allowed)", "Rows with fewer than two keys are left out."}};
  if (const auto chosen = title.choice("Head entropy in", names, state.heads_normalised ? 1 : 0, tips))
    state.heads_normalised = *chosen == 1;
  const Box box = title.finish(held ? "mean, min–max, held" : "mean, min–max");

  const std::int64_t b = scene.sequence();
  const bool normalised = state.heads_normalised;
  const double end = normalised ? 1 : most_of(a, held, b);
  const Axes axes{{box.x + ui.px(24), box.y + ui.px(4), box.w - ui.px(70), box.h - ui.px(26)}, 0, end, 0, 1};
  const float row_height = axes.area.h / static_cast<float>(a.heads);
  const auto step = static_cast<std::int64_t>(std::max(1.f, std::ceil(ui.px(14) / row_height)));
  const std::int64_t shown = scene.head();
  std::optional<HeadRow> hovered;
  const auto spread_in = [&](const Measures& m, std::int64_t h) {
    return spread_of(m.head(b, h), normalised);
  };
  const auto held_in = [&](std::int64_t h) {
    return held ? std::optional(spread_in(*held, h)) : std::nullopt;
  };
  for (std::int64_t h = 0; h < a.heads; ++h) {
    // The shown head always has its number; numbers too near to it are left out.
    const bool labelled = h == shown || (h % step == 0 && std::abs(h - shown) >= step);
    const float y = axes.area.y + static_cast<float>(h) * row_height;
    const HeadRow row{h, {box.x, y, box.w, row_height}, labelled};
    draw_bar(scene, axes, row, spread_in(a, h), held_in(h));
    const Ui::Touch touch = ui.touch(("entropy of head " + std::to_string(h)).c_str(), row.box, false);
    if (touch.hovered) {
      scene.next.hovered_head = h;
      hovered = row;
    }
    if (touch.clicked) scene.next.head = h;
  }
  draw_x_axis(ui, axes, normalised ? 2 : 4);
  if (hovered) draw_read_out(scene, axes, *hovered, spread_in(a, hovered->head), held_in(hovered->head));
}

}  // namespace attnscope
