// app/views/signals: the entropy of every query's row, all heads as curves below the ceiling ln(allowed); or
// its difference to B.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/views/signals/plots.hpp"

namespace attnscope {
namespace {

using Points = std::vector<ImVec2>;

constexpr float dense = 1.5f, apart = 4;  // logical pixels: least between rows; between means instead

/// The values of the curves.
struct RowCurves {
  const Scene& scene;
  const Measures& a;
  const Measures* b;  // null: nothing comparable is held
  bool normalised, difference;
  std::int64_t rows_in_mean = 1;  // number of rows in a mean, for the curves of the other heads

  /// The entropy of a row; NaN, a gap in the curve, if fewer than two keys are allowed.
  double value(const Measures& m, std::int64_t h, std::int64_t i) const {
    const RowMeasures& row = m.row(scene.sequence(), h, i);
    if (row.allowed < 2) return std::numeric_limits<double>::quiet_NaN();
    return normalised ? row.normalised : row.entropy;
  }
  double value(std::int64_t h, std::int64_t i) const {
    return difference ? value(a, h, i) - value(*b, h, i) : value(a, h, i);
  }
  Points curve(std::int64_t h) const {
    Points points;
    for (std::int64_t i = 0; i < a.queries; ++i)
      points.push_back({static_cast<float>(i), static_cast<float>(value(h, i))});
    return points;
  }
  /// The mean of the rows in the point that holds row i, without NaN.
  double mean_around(std::int64_t h, std::int64_t i) const {
    const std::int64_t begin = i - i % rows_in_mean, end = std::min(a.queries, begin + rows_in_mean);
    double sum = 0;
    int count = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      const double v = value(h, row);
      if (std::isnan(v)) continue;
      sum += v;
      ++count;
    }
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
  }
  /// The curve of a head that is not the shown one: dense rows are averaged, as many curves would form a
  /// block.
  Points faint_curve(std::int64_t h) const {
    if (rows_in_mean == 1) return curve(h);
    Points points;
    for (std::int64_t i = 0; i < a.queries; i += rows_in_mean) {
      const std::int64_t end = std::min(a.queries, i + rows_in_mean);
      points.push_back({static_cast<float>(i + end - 1) / 2, static_cast<float>(mean_around(h, i))});
    }
    return points;
  }
  Points held_curve(std::int64_t h) const {
    Points points;
    for (std::int64_t i = 0; i < a.queries; ++i)
      points.push_back({static_cast<float>(i), static_cast<float>(value(*b, h, i))});
    return points;
  }
  double ceiling(std::int64_t h, std::int64_t i) const {
    return std::log(static_cast<double>(std::max<std::int64_t>(1, a.row(scene.sequence(), h, i).allowed)));
  }
};

/// The y axis. It does not depend on the shown head, so that a preview does not move the curves.
Axes axes_of(const RowCurves& rows, const Box& area) {
  Axes axes{area, 0, rows.a.queries > 1 ? static_cast<double>(rows.a.queries - 1) : 1, 0, 1.06};
  if (rows.normalised && !rows.difference) return axes;
  ResultStats& stats = rows.scene.stats;
  const std::int64_t b = rows.scene.sequence();
  const double most = rows.difference ? std::max(1e-3, stats.largest_entropy_change(b, rows.normalised))
                                      : std::max(0.1, stats.largest_entropy(b));
  axes.y1 = most * 1.06;
  if (rows.difference) axes.y0 = -axes.y1;
  return axes;
}

void draw_ceiling(const Ui& ui, const RowCurves& rows, const Axes& axes) {
  if (rows.difference) return;
  Points points;
  for (std::int64_t i = 0; i < rows.a.queries; ++i) {
    const bool has_keys = rows.a.row(rows.scene.sequence(), rows.scene.head(), i).allowed > 0;
    const double top = !has_keys         ? std::numeric_limits<double>::quiet_NaN()
                       : rows.normalised ? 1
                                         : rows.ceiling(rows.scene.head(), i);
    points.push_back({static_cast<float>(i), static_cast<float>(top)});
  }
  draw_dashed_curve(ui, axes, points, ui.theme.text3, std::max(1.f, ui.px(1)));
  if (axes.y(static_cast<double>(points.back().y)) > axes.area.bottom() - 1 && points.size() == 1) return;
  // The name is at the left, where a causal mask leaves room above the ceiling.
  constexpr std::string_view name = "ln(allowed)";
  const float width = ui.text_width(name, type::tick), x = axes.area.x + ui.px(4);
  float lowest = axes.area.bottom();
  for (const ImVec2 p : points) {
    const float px = axes.x(static_cast<double>(p.x));
    if (px <= x + width + axes.area.w / static_cast<float>(std::max<std::size_t>(points.size(), 1)))
      lowest = std::min(lowest, axes.y(static_cast<double>(p.y)));
  }
  if (lowest - ui.px(16) < axes.area.y - ui.px(2)) return;
  ui.fill({x - ui.px(2), lowest - ui.px(16), width + ui.px(4), ui.px(14)},
          ui.theme.panel);  // covers the hairlines
  ui.text(x, lowest - ui.px(9), name, {type::tick, ui.theme.text3});
}

/// Marks of rows that are not finite, and of rows without a key, at the foot of the plot.
void draw_row_marks(const Ui& ui, const RowCurves& rows, const Axes& axes) {
  const float wide = std::clamp(axes.area.w / static_cast<float>(rows.a.queries), ui.px(2), ui.px(8));
  for (std::int64_t i = 0; i < rows.a.queries; ++i) {
    const RowMeasures& row = rows.a.row(rows.scene.sequence(), rows.scene.head(), i);
    const bool nan = !std::isfinite(row.largest);  // a muted head lacks only the entropy
    if (!nan && row.allowed > 0) continue;
    const float x = std::round(axes.x(static_cast<double>(i)) - wide / 2);
    ui.fill({x, axes.area.bottom() - ui.px(nan ? 4 : 2), wide, ui.px(nan ? 4 : 2)},
            nan ? ui.theme.nan : ui.theme.text3);
  }
}

void draw_curves(const Ui& ui, const RowCurves& rows, const Axes& axes) {
  const std::int64_t shown = rows.scene.head(), last = rows.a.queries - 1;
  std::vector<EndLabel> ends;
  const auto end = [&](std::int64_t h, Rgba colour, Ink ink) {
    ends.push_back({axes.y(rows.value(h, last)), std::to_string(h), colour, ink});
  };
  end(shown, ui.theme.head(shown), Ink::Semibold);
  for (std::int64_t h = 0; h < rows.a.heads; ++h) {
    if (h == shown) continue;
    draw_curve(ui, axes, rows.faint_curve(h), fade(ui.theme.head(h), ui.theme.faint_curve),
               1.25f * ui.scale());
    end(h, fade(ui.theme.head(h), 0.85f), Ink::Regular);
  }
  const Points curve = rows.curve(shown);
  if (rows.difference) {
    Points zero = curve;
    for (ImVec2& p : zero) p.y = 0;
    fill_between(ui, axes, curve, zero, {positive_fill(ui), negative_fill(ui)});
    ui.horizontal(axes.area.x, axes.y(0), axes.area.w, ui.theme.text3);
  } else if (rows.b) {
    const Points held = rows.held_curve(shown);
    const Rgba gap = fade(ui.theme.b, 0.16f);
    fill_between(ui, axes, curve, held, {gap, gap});
    draw_dashed_curve(ui, axes, held, ui.theme.b, 2 * ui.scale());
    ends.insert(ends.begin() + 1,
                {axes.y(rows.value(*rows.b, shown, last)), "held", ui.theme.b, Ink::Semibold});
  }
  draw_curve(ui, axes, curve, ui.theme.head(shown), 2 * ui.scale());
  draw_end_labels(ui, {axes.area.right() + ui.px(6), axes.area.y, axes.area.bottom(), ui.px(14)}, ends);
}

std::string read_out(const RowCurves& rows, std::int64_t query) {
  const Scene& scene = rows.scene;
  const RowMeasures& row = rows.a.row(scene.sequence(), scene.head(), query);
  std::string text = scene.ui.fitted(query_label(scene.result, scene.sequence(), query), type::tick,
                                     Ink::Medium, scene.ui.px(80));
  const auto number = [](double v) { return own_number(std::isnan(v) ? "n/a" : fixed(v, 2)); };
  if (rows.difference) return text + "  now − held " + number(rows.value(scene.head(), query));
  if (row.allowed == 0) return text + "  no key";
  if (!std::isfinite(row.largest)) return text + "  NaN";
  text += (rows.normalised ? "  H/ln = " : "  H = ") + number(rows.value(scene.head(), query));
  return rows.b ? text + "   held " + number(rows.value(*rows.b, scene.head(), query)) : text;
}

void draw_marked_query(const Ui& ui, const RowCurves& rows, const Axes& axes) {
  const std::int64_t query = rows.scene.cell().query;
  const float x = axes.x(static_cast<double>(query));
  draw_dashes(ui, {{x, axes.area.y}, {x, axes.area.bottom()}}, ui.theme.query, std::max(1.f, ui.px(1)));
  if (rows.b && !rows.difference) {
    const double held = rows.value(*rows.b, rows.scene.head(), query);
    if (std::isfinite(held)) ui.disc({x, axes.y(held)}, ui.px(3), ui.theme.b);
  }
  const double value = rows.value(rows.scene.head(), query);
  const ImVec2 point{x, std::isfinite(value) ? axes.y(value) : axes.area.bottom()};
  if (std::isfinite(value)) ui.disc(point, ui.px(4), ui.theme.head(rows.scene.head()));
  draw_value_tag(ui, axes, point, read_out(rows, query));
}

/// The head whose curve is nearest to the mouse, within 7 logical pixels.
std::optional<std::int64_t> nearest_head(const Ui& ui, const RowCurves& rows, const Axes& axes,
                                         std::int64_t query, float y) {
  std::optional<std::int64_t> nearest;
  float least = ui.px(7);
  for (std::int64_t h = 0; h < rows.a.heads; ++h) {
    const double value = h == rows.scene.head() ? rows.value(h, query) : rows.mean_around(h, query);
    if (!std::isfinite(value)) continue;
    const float distance = std::abs(axes.y(value) - y);
    if (distance < least || (distance == least && h == rows.scene.selection.head)) {
      least = distance;
      nearest = h;
    }
  }
  return nearest;
}

void point_at_curves(Scene& scene, const RowCurves& rows, const Axes& axes) {
  const Ui::Touch touch = scene.ui.touch("entropy per row", axes.area, false);
  if (!touch.hovered) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const std::int64_t query =
      std::clamp<std::int64_t>(std::llround(axes.x_at(mouse.x)), 0, rows.a.queries - 1);
  const Cell under{query, scene.selection.cell.key};
  const std::optional<std::int64_t> head = nearest_head(scene.ui, rows, axes, query, mouse.y);
  scene.next.hovered_cell = under;
  if (head) scene.next.hovered_head = head;
  if (!touch.clicked) return;
  scene.next.choose(under);
  if (head) scene.next.head = *head;
}

void draw_switches(Scene& scene, TitleLine& title, bool can_differ) {
  SignalsState& state = signals_of(scene.view);
  constexpr std::array<std::string_view, 2> names{"nats", "0–1"};
  constexpr std::array<Tip, 2> tips{
      Tip{"In nats", "H = −Σ w ln w", "Dashed: ln(allowed), the entropy of uniform weights."},
      Tip{"Normalised", "H / ln(allowed)",
          "0: all weight on one key, 1: uniform weights. Not defined where fewer than two keys are "
          "allowed."}};
  if (const auto chosen = title.choice("Row entropy in", names, state.rows_normalised ? 1 : 0, tips))
    state.rows_normalised = *chosen == 1;
  if (can_differ && title.tool("Entropy A - B", "now − held", state.difference,
                               {"now − held", "H now − H held", "The gap to what is held, row by row."}))
    state.difference = !state.difference;
}

}  // namespace

void draw_entropy_rows(const PlotPlace& place) {
  Scene& scene = place.scene;
  const Ui& ui = scene.ui;
  const Measures* held = held_measures(scene);
  TitleLine title(place);
  draw_switches(scene, title, held != nullptr);
  RowCurves rows{scene, scene.result.measures, held, signals_of(scene.view).rows_normalised,
                 held && signals_of(scene.view).difference};
  // Room at the right end for the heads' numbers and the label "held".
  const float names =
      rows.b && !rows.difference ? ui.text_width("held", type::tick, Ink::Semibold) + ui.px(8) : 0;
  const float width = place.box.w - ui.px(28) - std::max(ui.px(22), names);
  const float row = width / static_cast<float>(std::max<std::int64_t>(1, rows.a.queries));
  if (rows.a.heads > 1 && row > 0 && row < ui.px(dense))
    rows.rows_in_mean = static_cast<std::int64_t>(std::ceil(ui.px(apart) / row));
  const Box below = title.finish(
      rows.rows_in_mean > 1 ? fmt::format("means of {:d} rows  ·  not of the chosen head", rows.rows_in_mean)
                            : std::string("all heads"));
  if (rows.a.queries < 1) return;
  const Axes axes = axes_of(rows, {below.x + ui.px(28), below.y + ui.px(8), width, below.h - ui.px(30)});
  draw_y_axis(ui, axes, rows.difference ? 4 : axes.area.h < ui.px(80) ? 3 : 4);
  draw_ceiling(ui, rows, axes);
  draw_row_marks(ui, rows, axes);
  draw_curves(ui, rows, axes);
  draw_marked_query(ui, rows, axes);
  draw_label_axis(ui, axes, {rows.a.queries, scene.cell().query, ui.theme.query, [&](std::int64_t i) {
                               return query_label(scene.result, scene.sequence(), i);
                             }});
  point_at_curves(scene, rows, axes);
}

}  // namespace attnscope
