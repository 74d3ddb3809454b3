#include "app/views/heads/output_change_strip.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/picture.hpp"
#include "core/edits/heads.hpp"

namespace attnscope {
namespace {

/// ‖ΔY‖ / ‖Y₀‖: NaN where the output without intervention is 0 or no number.
double share_of(const OutputChange& row) {
  if (!(row.without > 0)) return row.change > 0 ? INFINITY : std::isnan(row.without) ? NAN : 0;
  return row.change / row.without;
}

/// "34 %", "12×"
std::string written(double share) {
  if (std::isnan(share)) return "n/a";
  if (std::isinf(share)) return "∞";
  if (share >= 9.995) return fixed(share, 0) + "×";
  return fixed(100 * share, share > 0 && share < 0.0995 ? 1 : 0) + " %";
}

/// The rows of the shown sequence.
std::span<const OutputChange> rows_of(const Shown& shown) {
  const Measures& m = shown.result.measures;
  return std::span(m.output_change)
      .subspan(static_cast<std::size_t>(shown.sequence() * m.queries), static_cast<std::size_t>(m.queries));
}

/// The pixel columns of row i of n.
Box column(const Box& bars, std::int64_t i, std::int64_t n) {
  const Box cell = cell_box(bars, 0, i, 1, n);
  return {cell.x, bars.y, std::max(1.f, cell.w), bars.h};
}

/// A bar for each query, the longest as high as the strip. Of bars in the same pixel the longest is visible,
/// as all have one foot; that of the shown query is drawn last.
void draw_bars(const Shown& shown, const Box& bars) {
  const Ui& ui = shown.ui;
  const Theme& theme = ui.theme;
  const auto rows = rows_of(shown);
  const std::int64_t n = std::ssize(rows), now = shown.cell().query;
  double most = 0;
  for (const OutputChange& row : rows)
    if (const double share = share_of(row); std::isfinite(share)) most = std::max(most, share);
  ui.fill(bars, theme.bar_ground, ui.px(2));
  const float gap = bars.w / static_cast<float>(n) >= ui.px(4) ? ui.px(1) : 0;
  const auto draw = [&](std::int64_t i) {
    const double share = share_of(rows[static_cast<std::size_t>(i)]);
    const float part = std::isfinite(share) ? (most > 0 ? static_cast<float>(share / most) : 0.f) : 1.f;
    const Box place = column(bars, i, n);
    const float height = part > 0 ? std::max(ui.px(1), std::round(part * bars.h)) : 0;
    const Rgba colour = !std::isfinite(share) ? theme.nan : i == now ? theme.query : theme.bar;
    ui.fill({place.x, bars.bottom() - height, std::max(1.f, place.w - gap), height}, colour);
  };
  for (std::int64_t i = 0; i < n; ++i) draw(i);
  draw(now);
}

void point_at_row(Scene& scene, const Box& bars, const Ui::Touch& touch) {
  const auto rows = rows_of(scene);
  const std::int64_t n = std::ssize(rows);
  const Cell cell{cell_at(bars, ImGui::GetIO().MousePos, 1, n).key, scene.selection.cell.key};
  scene.next.hovered_cell = cell;
  if (touch.clicked) {
    scene.next.choose(cell);
  }
  const OutputChange& row = rows[static_cast<std::size_t>(cell.query)];
  const std::string y = scene.result.document.input.is_given() ? "C" : "Y";
  const std::string title =
      query_label(scene.result, scene.sequence(), cell.query) + " · " + written(share_of(row));
  const std::string formula =
      "‖Δ" + y + "‖ / ‖" + y + "‖ = " + fixed(row.change, 3) + " / " + fixed(row.without, 3);
  tooltip(scene.ui, touch.hovered, bars,
          {title, formula,
           "How far interventions on heads move the output of each token, relative to its norm without them. "
           "The output is a sum over the heads: this is what the changed heads contribute now, less what "
           "they contributed."});
}

}  // namespace

void draw_output_change(Scene& scene, const Box& line) {
  const Ui& ui = scene.ui;
  const Theme& theme = ui.theme;
  const auto rows = rows_of(scene);
  const std::int64_t now = scene.cell().query;
  const std::string y = scene.result.document.input.is_given() ? "ΔC" : "ΔY";
  const std::string number = written(share_of(rows[static_cast<std::size_t>(now)]));
  float x = line.x + ui.text(line.x, line.centre_y(), y, {type::tick, theme.text2}) + ui.px(4);
  ui.text(x, line.centre_y(), number, {type::tick, theme.query, Ink::Medium});
  x += std::max(ui.text_width(number, type::tick, Ink::Medium),
                ui.text_width("100 %", type::tick, Ink::Medium)) +
       ui.px(8);

  const bool wide = line.w > ui.px(220);
  const char* back = wide ? "Restore all" : "Restore";
  const float width = ui.text_width(back, type::tick);
  const Box link{line.right() - width, line.y, width, line.h};
  const Ui::Touch touch = ui.touch("restore all heads", link);
  ui.text(link.x, link.centre_y(), back, {type::tick, touch.hovered ? theme.text1 : theme.query});
  if (touch.hovered || touch.focused) ui.horizontal(link.x, link.centre_y() + ui.px(8), width, theme.query);
  tooltip(ui, touch.hovered, link,
          {"Restore all heads", "A′ = A", "Every head is restored, with its own pattern.", "Shift+R"});
  if (touch.clicked) scene.document = edit::restore_heads(std::move(scene.document));

  const Box bars{x, line.y + ui.px(2), std::max(0.f, link.x - ui.px(8) - x), line.h - ui.px(4)};
  if (bars.w < ui.px(16)) return;
  draw_bars(scene, bars);
  const Ui::Touch on = ui.touch("output change", bars, false);
  if (on.hovered) point_at_row(scene, bars, on);
}

}  // namespace attnscope
