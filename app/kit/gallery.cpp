#include "app/kit/gallery.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/kit/table_view.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/marks.hpp"
#include "app/kit/widgets/plot.hpp"
#include "app/kit/widgets/transport.hpp"

namespace attnscope {
namespace {

/// One column of the page: parts below each other.
class GalleryColumn {
 public:
  GalleryColumn(const Ui& ui, const Box& box) : ui_(ui), box_(box), y_(box.y) {}

  void title(std::string_view words) {
    if (y_ > box_.y) y_ += ui_.px(14);
    ui_.text(box_.x, y_ + ui_.px(10), words, {type::body, ui_.theme.text1, Ink::Semibold});
    y_ += ui_.px(28);
  }
  /// The next row, with a gap below it.
  Box row(float height, float gap = 6) {
    const Box row{box_.x, y_, box_.w, ui_.px(height)};
    y_ += ui_.px(height + gap);
    return row;
  }
  /// The box below the last row.
  Box rest() const { return {box_.x, y_, box_.w, box_.bottom() - y_}; }

 private:
  const Ui& ui_;
  Box box_;
  float y_;
};

constexpr Tip example_tip{"Tip", "softmax(QKᵀ / √dₖ)", "A name, a formula, a line or two of why, a key.",
                          "F1"};

void draw_type(const Ui& ui, GalleryColumn& column) {
  struct Size {
    std::string_view name;
    float size;
  };
  constexpr std::array<Size, 5> sizes{{{"readout 32", type::readout},
                                       {"title 18", type::title},
                                       {"body 16", type::body},
                                       {"label 14", type::label},
                                       {"tick 13", type::tick}}};
  column.title("Type");
  for (const Size& each : sizes) {
    const Box row = column.row(each.size + 6, 0);
    const float used = ui.text(row.x, row.centre_y(), each.name, {each.size, ui.theme.text1});
    if (each.size > type::body) continue;
    ui.text(row.x + used + ui.px(12), row.centre_y(), "medium", {each.size, ui.theme.text2, Ink::Medium});
    ui.text(row.right(), row.centre_y(), "0.5931", {each.size, ui.theme.text3, Ink::Mono, Align::Right});
  }
}

void draw_colours(const Ui& ui, GalleryColumn& column) {
  const Theme& theme = ui.theme;
  const std::array<std::pair<std::string_view, Rgba>, 20> named{{{"canvas", theme.canvas},
                                                                 {"panel", theme.panel},
                                                                 {"raised", theme.raised},
                                                                 {"control", theme.control},
                                                                 {"hover", theme.control_hover},
                                                                 {"segment", theme.segment_on},
                                                                 {"hairline", theme.hairline},
                                                                 {"border", theme.border},
                                                                 {"text 1", theme.text1},
                                                                 {"text 2", theme.text2},
                                                                 {"text 3", theme.text3},
                                                                 {"disabled", theme.disabled},
                                                                 {"query", theme.query},
                                                                 {"key", theme.key},
                                                                 {"value", theme.value},
                                                                 {"error", theme.error},
                                                                 {"NaN", theme.nan},
                                                                 {"B", theme.b},
                                                                 {"bar", theme.bar},
                                                                 {"masked", theme.hatch_ground}}};
  column.title("Colours by role");
  constexpr std::size_t across = 4;
  for (std::size_t i = 0; i < named.size(); i += across) {
    const Box row = column.row(34, 2);
    for (std::size_t k = 0; k < across && i + k < named.size(); ++k) {
      const float x = row.x + row.w * static_cast<float>(k) / across;
      const Box patch{x, row.y, ui.px(22), ui.px(22)};
      ui.fill(patch, named[i + k].second, ui.px(4));
      ui.frame(patch, theme.border, 1, ui.px(4));
      ui.text(patch.right() + ui.px(6), patch.centre_y(), named[i + k].first, {type::tick, theme.text2});
    }
  }
  const Box heads = column.row(22);
  for (std::int64_t head = 0; head < 8; ++head)
    badge(ui, {heads.x + ui.px(30) * static_cast<float>(head), heads.y, ui.px(24), ui.px(20)},
          std::to_string(head), theme.head(head), theme.canvas);
}

void draw_choices(const Ui& ui, GalleryColumn& column, GalleryState& state) {
  column.title("Switches and choices");
  if (toggle(ui, "Switch on", "a switch that is on", column.row(28), state.on, example_tip))
    state.on = !state.on;
  if (toggle(ui, "Switch off", "a switch that is off", column.row(28), state.off, example_tip))
    state.off = !state.off;
  toggle(ui, "Switch disabled", "a switch that cannot be turned", column.row(28), false, example_tip, false);
  constexpr std::array<std::string_view, 3> names{"first", "second", "third"};
  const std::array<Tip, 3> tips{example_tip, example_tip, example_tip};
  if (const auto chosen =
          segments(ui, "Segments", column.row(30), names, state.segment, tips, {.disabled = 1u << 2}))
    state.segment = *chosen;
  drop(ui, "List", column.row(30), names[static_cast<std::size_t>(state.segment)], example_tip, [&] {
    menu_title(ui, "what the rows are for");
    for (std::size_t i = 0; i < names.size(); ++i)
      if (menu_row(ui, std::string(names[i]).c_str(), "note", static_cast<int>(i) == state.segment))
        state.segment = static_cast<int>(i);
  });
  const Box buttons = column.row(32);
  const float half = (buttons.w - ui.px(8)) / 2;
  button(ui, "Button", {buttons.x, buttons.y, half, buttons.h}, example_tip);
  button(ui, "Other button", {buttons.x + half + ui.px(8), buttons.y, half, buttons.h}, example_tip,
         "Words that are too long for a button are cut");
  if (section_header(ui, "Section", column.row(28), "its value", state.open)) state.open = !state.open;
}

void draw_numbers(const Ui& ui, GalleryColumn& column, GalleryState& state) {
  column.title("Numbers and texts");
  if (const auto moved = slider(ui, "Slider", "a slider", fixed(static_cast<double>(state.linear), 2),
                                column.row(44), state.linear, {0, 1, 0.5f}, true, example_tip))
    state.linear = *moved;
  if (const auto moved =
          slider(ui, "Logarithmic", "at rest, logarithmic", fixed(static_cast<double>(state.logarithmic), 1),
                 column.row(44), state.logarithmic, {1, 64, 8, true}, false, example_tip))
    state.logarithmic = *moved;
  const auto step = [&](int direction) { return state.count + direction; };
  const Box steppers = column.row(30);
  const float half = (steppers.w - ui.px(8)) / 2;
  if (const auto count =
          stepper(ui, "Stepper", {steppers.x, steppers.y, half, steppers.h}, state.count, step, example_tip))
    state.count = *count;
  stepper(ui, "Wrong stepper", {steppers.x + half + ui.px(8), steppers.y, half, steppers.h}, 65, step,
          example_tip, {}, true);
  text_field(ui, "##Text", column.row(32), state.text, "placeholder");
  text_field(ui, "##Empty", column.row(32), state.empty, "a placeholder", true);
}

void draw_marks(const Ui& ui, GalleryColumn& column) {
  column.title("Marks");
  const Box row = column.row(28);
  float x = row.x + draw_keycap(ui, row.x, row.centre_y(), "Ctrl") + ui.px(6);
  x += draw_keycap(ui, x, row.centre_y(), "K") + ui.px(22);
  draw_done_mark(ui, {x, row.centre_y()}, false);
  draw_done_mark(ui, {x + ui.px(26), row.centre_y()}, true);
  const Box bar = column.row(56);
  draw_transport_buttons(ui, bar,
                         {{"Back", example_tip}, {"Play", example_tip}, {"Forward", example_tip}, false});
  const float left = bar.x + transport_width(ui) + ui.px(16);
  ui.fill({left, bar.centre_y() - ui.px(2), bar.right() - left, ui.px(4)}, ui.theme.bar_ground, ui.px(2));
  draw_scrub_knob(ui, {(left + bar.right()) / 2, bar.centre_y()},
                  ui.touch("Scrubber", {left, bar.y, bar.right() - left, bar.h}));
}

Table example_table() {
  static constexpr std::array<double, 6> shares{0.58, -0.27, 0.04, std::numeric_limits<double>::quiet_NaN(),
                                                0.12, -0.33};
  Table table{.rows = shares.size(), .columns = {}};
  table.columns.push_back(
      {.title = "head", .cell = [](std::size_t row) -> TableCell { return "3." + std::to_string(row); }});
  table.columns.push_back({.name = "share",
                           .title = "share",
                           .cell = [](std::size_t row) -> TableCell { return shares[row]; },
                           .written = [](double share) { return fixed(share, 2); },
                           .tip = example_tip});
  table.columns.push_back({.name = "tokens", .title = "tokens", .cell = [](std::size_t row) -> TableCell {
                             return static_cast<std::int64_t>(12 + 7 * row);
                           }});
  return table;
}

/// The same table with a look for each column: a painted cell, a second line in a head, a column as wide as
/// its numbers.
void draw_table_with_looks(const Ui& ui, const Box& box, const Table& table, GalleryState& state) {
  const auto bar = [&](std::size_t row, const Box& cell) {
    const double share = number_in(table.columns[1].cell(row));
    Box track{cell.x + ui.px(8), std::round(cell.centre_y() - ui.px(3)), cell.w - ui.px(8), ui.px(6)};
    ui.fill(track, ui.theme.bar_ground, ui.px(2));
    track.w *= std::isnan(share) ? 0 : static_cast<float>(std::abs(share));
    ui.fill(track, ui.theme.bar, ui.px(2));
  };
  TableLook look{.label = "plain row", .row_height = 18};
  look.columns = {{.width = ui.px(60),
                   .align = Align::Left,
                   .head_colour = ui.theme.key,
                   .head_ink = Ink::Medium,
                   .style = [&](std::size_t) -> TextStyle {
                     return {type::label, ui.theme.key, Ink::Semibold};
                   }},
                  {.align = Align::Centre, .below = "of 1", .paint = bar},
                  {.width = ui.px(72), .inset = 8, .below = "in all"}};
  look.sorts = look.focusable = false;
  draw_table(ui, box, table, look, state.plain_order);
}

void draw_tables(const Ui& ui, GalleryColumn& column, GalleryState& state) {
  column.title("Table");
  const Table table = example_table();
  TableLook look{.label = "row", .chosen = state.chosen, .swatch = [&](std::size_t row) {
                   return ui.theme.head(static_cast<std::int64_t>(row));
                 }};
  Box box = column.row(27 + 4 * 22);
  box.w -= ui.px(12);  // the scroll bar stands beside the rows
  const TableTouch touch = draw_table(ui, box, table, look, state.order);
  if (touch.clicked) state.chosen = *touch.clicked;
  Box below = column.row(24 + 15 + 3 + 2 * 18);
  below.w = box.w;
  draw_table_with_looks(ui, below, table, state);
}

void draw_plots(const Ui& ui, GalleryColumn& column, GalleryState& state) {
  column.title("Plot");
  Box box = column.rest();
  box.h = std::min(box.h, ui.px(320));
  const float top = plot_title(ui, {box.x, box.y, box.w, ui.px(20)}, "A measure", "nats");
  Axes axes{{box.x + ui.px(34), top + ui.px(6), box.w - ui.px(84), box.bottom() - top - ui.px(34)},
            static_cast<double>(40 * state.zoom.from),
            static_cast<double>(40 * state.zoom.to),
            -1.2,
            1.2};
  if (axes.area.h < ui.px(40)) return;
  draw_y_axis(ui, axes, 4);
  draw_x_axis(ui, axes, 5);
  std::vector<ImVec2> now, held;
  for (int i = 0; i <= 40; ++i) {
    const float x = static_cast<float>(i);
    now.push_back({x, std::sin(x / 5)});
    held.push_back({x, 0.8f * std::sin(x / 5 + 0.5f)});
  }
  fill_between(ui, axes, now, held, {fade(ui.theme.query, 0.2f), fade(ui.theme.b, 0.2f)});
  draw_curve(ui, axes, now, ui.theme.text1, 1.5f);
  draw_dashed_curve(ui, axes, held, ui.theme.b, 1.5f);
  const std::array<EndLabel, 2> names{
      {{axes.y(static_cast<double>(now.back().y)), "now", ui.theme.text1, Ink::Medium},
       {axes.y(static_cast<double>(held.back().y)), "held", ui.theme.b, Ink::Medium}}};
  draw_end_labels(ui, {axes.area.right() + ui.px(6), axes.area.y, axes.area.bottom()}, names);
  draw_value_tag(ui, axes, {axes.x(8), axes.y(std::sin(1.6))}, "0.999");
  zoom_by_mouse(ui.touch("Plot", axes.area), axes.area, state.zoom, 0.1f);
}

}  // namespace

void draw_gallery(const Ui& ui, const Box& area, GalleryState& state) {
  ui.fill(area, ui.theme.panel);
  const float pad = ui.px(28), gap = ui.px(40), wide = (area.w - 2 * pad - 2 * gap) / 3;
  const auto column = [&](int i) {
    return Box{std::round(area.x + pad + static_cast<float>(i) * (wide + gap)), area.y + pad,
               std::floor(wide), area.h - 2 * pad};
  };
  GalleryColumn left(ui, column(0)), middle(ui, column(1)), right(ui, column(2));
  draw_type(ui, left);
  draw_colours(ui, left);
  draw_marks(ui, left);
  draw_choices(ui, middle, state);
  draw_numbers(ui, middle, state);
  draw_tables(ui, right, state);
  draw_plots(ui, right, state);
}

}  // namespace attnscope
