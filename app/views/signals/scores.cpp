// app/views/signals: histograms of the shown head's scores before and after scaling, and after it in B.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/views/parts/unknown.hpp"
#include "app/views/signals/histogram.hpp"
#include "app/views/signals/plots.hpp"

namespace attnscope {
namespace {

constexpr int fine_bins = Bars::count * 64;

struct ScoreSpread {
  Bars bars;
  double deviation = 0;
  std::int64_t cells = 0;
};

/// All histograms of the plot; the axis is −end … end.
struct ScoreSpreads {
  double end = 1;
  ScoreSpread before, after;
  std::optional<ScoreSpread> held;  // after, in B
};

ScoreSpread spread_of(ResultStats& stats, const Scene& scene, Stage stage, double end) {
  const HistogramPtr fine = stats.histogram(stage, scene.sequence(), scene.head(),
                                            {static_cast<float>(-end), static_cast<float>(end), fine_bins});
  return {bars_of(fine->bins, signals_of(scene.view).score_zoom), fine->deviation, fine->cells};
}

ScoreSpreads spreads_of(const Scene& scene) {
  const bool with_held = scene.held && scene.stats.can_compare();
  double reach = 1e-3;
  const auto include = [&](ResultStats& stats, Stage stage) {
    const ValueRange range = stats.range(stage, scene.sequence(), scene.head());
    reach = std::max(
        {reach, std::abs(static_cast<double>(range.low)), std::abs(static_cast<double>(range.high))});
  };
  include(scene.stats, Stage::Score);
  include(scene.stats, Stage::Scale);
  if (with_held) include(*scene.held->stats, Stage::Scale);
  const double step = nice_step(2 * reach, 4);
  ScoreSpreads all;
  all.end = std::ceil(reach / step) * step;
  all.before = spread_of(scene.stats, scene, Stage::Score, all.end);
  all.after = spread_of(scene.stats, scene, Stage::Scale, all.end);
  if (with_held) all.held = spread_of(*scene.held->stats, scene, Stage::Scale, all.end);
  return all;
}

void draw_bars(const Ui& ui, const Axes& axes, const ScoreSpreads& all) {
  for (int i = 0; i < Bars::count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const BarEdges x = bar_edges(axes, i);
    const auto height = [&](std::int64_t count) {
      return axes.area.bottom() - axes.y(static_cast<double>(count));
    };
    const float tall = height(all.after.bars.counts[k]), was = height(all.before.bars.counts[k]);
    const float wide = std::max(1.f, x.right - x.left - 1);
    ui.fill({x.left, axes.area.bottom() - tall, wide, tall}, fade(ui.theme.query, 0.8f));
    if (all.before.bars.counts[k] > 0) {
      ui.fill({x.left, axes.area.bottom() - was, wide, was}, fade(ui.theme.key, 0.25f));
      ui.fill({x.left, std::round(axes.area.bottom() - was), wide, ui.px(2)}, ui.theme.key);
    }
  }
  if (all.held)
    draw_outline(
        ui, axes, all.held->bars, [](std::int64_t c) { return static_cast<double>(c); }, ui.theme.b);
}

void draw_legend(const Ui& ui, const Box& area, const ScoreSpreads& all) {
  const float x = area.x + ui.px(2);
  ui.fill({x, area.y + ui.px(7), ui.px(9), ui.px(2)}, ui.theme.key);
  ui.text(x + ui.px(16), area.y + ui.px(8), "before  σ " + fixed(all.before.deviation, 2),
          {type::tick, ui.theme.text2});
  ui.fill({x, area.y + ui.px(20), ui.px(9), ui.px(8)}, fade(ui.theme.query, 0.8f));
  ui.text(x + ui.px(16), area.y + ui.px(24), "after  σ " + fixed(all.after.deviation, 2),
          {type::tick, ui.theme.text2});
  ui.text(area.right(), area.y + ui.px(8), counted(all.after.cells, "cell", "cells"),
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  if (all.held)
    ui.text(area.right(), area.y + ui.px(24), "held after  σ " + fixed(all.held->deviation, 2),
            {type::tick, ui.theme.b, Ink::Regular, Align::Right});
}

std::string read_out(const Axes& axes, const ScoreSpreads& all, int bar) {
  const double width = (axes.x1 - axes.x0) / Bars::count, left = axes.x0 + width * bar;
  const auto k = static_cast<std::size_t>(bar);
  const int places = width >= 1 ? 0 : width >= 0.1 ? 1 : width >= 0.01 ? 2 : 3;
  std::string text = fixed(left, places) + " to " + fixed(left + width, places) + "   before " +
                     grouped(all.before.bars.counts[k]) + "   after " + grouped(all.after.bars.counts[k]);
  return all.held ? text + "   held " + grouped(all.held->bars.counts[k]) : text;
}

bool has_allowed_cells(const Shown& shown) {
  for (std::int64_t query = 0; query < shown.result.dimensions.queries; ++query)
    if (shown.result.measures.row(shown.sequence(), shown.head(), query).allowed > 0) return true;
  return false;
}

std::string unit_of(const LayerResult& result) {
  const Scaling& scaling = result.document.layer().scaling;
  const std::int64_t width = scale_width(result.document, result.dimensions.d_k);
  if (scaling.kind == Scaling::Kind::InverseSqrtDk) return "before and after ÷ √" + std::to_string(width);
  return "before and after × " + fixed(scale_factor(scaling, width), 2);
}

}  // namespace

void draw_scores(const PlotPlace& place) {
  Scene& scene = place.scene;
  const Ui& ui = scene.ui;
  const bool known = knows_scores(scene.result.document);
  const Box box = TitleLine(place).finish(known ? unit_of(scene.result) : std::string(not_in_file));
  if (!known) return draw_empty_plot(ui, box, "No scores", why_no_scores());
  const Box area{box.x + ui.px(4), box.y + ui.px(4), box.w - ui.px(16), box.h - ui.px(26)};
  if (area.w < 8 || area.h < 8) return;
  const ScoreSpreads all = spreads_of(scene);
  if (all.after.cells == 0 && scene.stats.is_computing()) return;  // they are being counted
  if (all.after.cells == 0)
    return draw_empty_plot(ui, box, "No score is left",
                           has_allowed_cells(scene) ? "All of them are NaN or infinite."
                                                    : "The mask hides every cell of this head.");
  const std::int64_t largest = std::max({std::int64_t{1}, all.before.bars.largest(), all.after.bars.largest(),
                                         all.held ? all.held->bars.largest() : 0});
  const double legend =
      area.h > ui.px(70) ? static_cast<double>(ui.px(36) / area.h) : 0.05;  // bars end below it
  const Axes axes{area, -all.end + 2 * all.end * all.before.bars.from,
                  -all.end + 2 * all.end * all.before.bars.to, 0,
                  static_cast<double>(largest) / (1 - legend)};
  ui.horizontal(area.x, area.bottom(), area.w, ui.theme.hairline);
  if (axes.x0 < 0 && axes.x1 > 0) ui.vertical(axes.x(0), area.y, area.h, ui.theme.hairline);
  draw_bars(ui, axes, all);
  draw_x_axis(ui, axes, 4);
  draw_legend(ui, area, all);

  const Ui::Touch touch = ui.touch("scores", area, false);
  zoom_by_mouse(touch, area, signals_of(scene.view).score_zoom, least_zoom(fine_bins));
  if (!touch.hovered) return;
  const int bar = bar_at(axes, ImGui::GetIO().MousePos.x);
  const BarEdges x = bar_edges(axes, bar);
  ui.fill({x.left, area.y, x.right - x.left, area.h}, fade(ui.theme.text1, 0.12f));
  draw_value_tag(ui, axes, {x.right, ImGui::GetIO().MousePos.y}, read_out(axes, all, bar));
}

}  // namespace attnscope
