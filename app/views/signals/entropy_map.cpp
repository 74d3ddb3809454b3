// app/views/signals: the entropy of all rows of all heads as one picture: heads down, queries across.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/picture.hpp"
#include "app/views/signals/plots.hpp"

namespace attnscope {
namespace {

/// The upper end of the colour scale: above 1, so that the brightest colours are not used and the focus stays
/// brightest.
constexpr float damped_end = 1 / 0.8f;

const RowMeasures& row_of(const Shown& shown, const Cell& at) {
  return shown.result.measures.row(shown.sequence(), at.query, at.key);
}

/// Heads as rows, queries as columns. Here a `Cell` is {head, query}.
void draw_picture(const Shown& shown, const Box& box) {
  const Ui& ui = shown.ui;
  const Measures& m = shown.result.measures;
  std::uint64_t content = mix_hash(0, shown.result.ticket);
  for (const auto part : {static_cast<std::uint64_t>(shown.sequence()), static_cast<std::uint64_t>(box.w),
                          static_cast<std::uint64_t>(box.h), static_cast<std::uint64_t>(ui.theme.name)}) {
    content = mix_hash(content, part);
  }
  ui.matrix("entropy map", content, box, [&](const Ui::UseJob& draw) {
    Tensor values(Shape{m.heads, m.queries});
    for (std::int64_t h = 0; h < m.heads; ++h) {
      for (std::int64_t i = 0; i < m.queries; ++i) {
        const RowMeasures& row = row_of(shown, {h, i});
        values.matrix()(h, i) = static_cast<float>(std::isfinite(row.largest) ? row.normalised : row.largest);
      }
    }
    RasterJob job = whole_matrix(ui, std::as_const(values).matrix(), colormap(ui.theme.weights), box);
    job.high = damped_end;
    job.kind = [&](std::int64_t h, std::int64_t i) {
      const RowMeasures& row = row_of(shown, {h, i});
      const bool not_defined = std::isfinite(row.largest) && std::isnan(row.normalised);
      return not_defined ? CellKind::Masked : CellKind::Number;
    };
    draw(job);
  });
}

void draw_colour_bar(const Shown& shown, const Box& box) {
  const Ui& ui = shown.ui;
  const float text = ui.px(10), y = box.centre_y();
  const Box ramp{box.x + text, std::round(y - ui.px(4)), box.w - 2 * text, ui.px(8)};
  const Colormap& map = colormap(ui.theme.weights);
  for (float x = 0; x < ramp.w; ++x) {
    const int at = map_index(x / ramp.w, 0, damped_end);
    ui.fill({ramp.x + x, ramp.y, 1, ramp.h}, map[static_cast<std::size_t>(at)]);
  }
  ui.text(box.x, y, "0", {type::tick, ui.theme.text3});
  ui.text(box.right(), y, "1", {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
}

void draw_head_numbers(const Shown& scene, const Axes& axes, std::int64_t heads) {
  const Ui& ui = scene.ui;
  const float row = axes.area.h / static_cast<float>(heads);
  const auto step = static_cast<std::int64_t>(std::max(1.f, std::ceil(ui.px(13) / row)));
  for (std::int64_t h = 0; h < heads; ++h) {
    const bool shown = h == scene.head();
    if (!shown && (h % step != 0 || std::abs(h - scene.head()) < step)) continue;
    ui.text(axes.area.x - ui.px(8), axes.area.y + (static_cast<float>(h) + 0.5f) * row, std::to_string(h),
            {type::tick, shown ? ui.theme.text1 : ui.theme.text3, shown ? Ink::Semibold : Ink::Regular,
             Align::Right});
  }
}

std::string read_out(const Shown& shown, const Cell& at) {
  const RowMeasures& row = row_of(shown, at);
  const std::string where = "head " + std::to_string(at.query) + "  " +
                            shown.ui.fitted(query_label(shown.result, shown.sequence(), at.key), type::tick,
                                            Ink::Medium, shown.ui.px(80));
  if (!std::isfinite(row.largest)) return where + "  NaN";
  if (row.allowed == 0) return where + "  no key";
  if (std::isnan(row.normalised)) return where + "  n/a";
  return where + "  " + fixed(row.normalised, 2) + "  (" + fixed(row.entropy, 2) + " nats)";
}

void mark(const Ui& ui, const Box& cell) {
  ui.frame(cell.grown(ui.px(2)), ui.theme.name == ThemeName::Light ? 0xFFFFFFFFu : 0xFF000000u, ui.px(2),
           ui.px(1));
  ui.frame(cell.grown(ui.px(1)), ui.theme.query, std::max(1.f, ui.px(2)), ui.px(1));
}

}  // namespace

void draw_entropy_map(const PlotPlace& place) {
  Scene& scene = place.scene;
  const Ui& ui = scene.ui;
  const Measures& m = scene.result.measures;
  TitleLine title(place);
  if (const auto bar = title.room(ui.px(96))) draw_colour_bar(scene, *bar);
  const Box box = title.finish("H / ln(allowed)");
  const Box area{box.x + ui.px(24), box.y + ui.px(6), std::floor(box.w - ui.px(28)),
                 std::floor(box.h - ui.px(28))};
  if (area.w < 8 || area.h < 8) return;
  draw_picture(scene, area);
  // The axis is shifted by half a column, so that labels are under the middle of their column.
  const auto columns = static_cast<double>(m.queries);
  const Axes axes{area, -0.5, columns - 0.5, 0, 1};
  draw_head_numbers(scene, axes, m.heads);
  draw_label_axis(ui, axes, {m.queries, scene.cell().query, ui.theme.query, [&](std::int64_t i) {
                               return query_label(scene.result, scene.sequence(), i);
                             }});
  mark(ui, cell_box(area, scene.head(), scene.cell().query, m.heads, m.queries));

  const Ui::Touch touch = ui.touch("entropy map", area, false);
  if (!touch.hovered) return;
  const Cell at = cell_at(area, ImGui::GetIO().MousePos, m.heads, m.queries);  // query: head, key: query
  const Cell under{at.key, scene.selection.cell.key};
  scene.next.hovered_head = at.query;
  scene.next.hovered_cell = under;
  const Box cell = cell_box(area, at.query, at.key, m.heads, m.queries);
  draw_value_tag(ui, axes, {cell.right(), cell.y}, read_out(scene, at));
  if (!touch.clicked) return;
  scene.next.head = at.query;
  scene.next.choose(under);
}

}  // namespace attnscope
