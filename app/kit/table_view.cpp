#include "app/kit/table_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/widgets/row_list.hpp"

namespace attnscope {
namespace {

/// The menu of a right click.
void draw_table_menu(const Ui& ui, const char* label, bool opens, const Table& table,
                     std::span<const std::size_t> order, std::string& copied) {
  constexpr const char* menu = "table menu";
  ImGui::PushID(label);  // each table of a window has its own menu
  if (opens) ImGui::OpenPopup(menu);
  context_menu(ui, menu, [&] {
    if (menu_row(ui, "Copy the table", "tab-separated")) copied = tab_separated(table, order);
  });
  ImGui::PopID();
}

/// The table of one frame.
class TableView {
 public:
  TableView(const Ui& ui, const Box& box, const Table& table, const TableLook& look, TableOrder& order)
      : ui_(ui),
        box_(box),
        table_(table),
        look_(look),
        order_(order),
        columns_(table.on_screen()),
        looks_(look.columns) {
    if (looks_.empty()) looks_.push_back({.width = ui.px(look.first_width), .align = Align::Left, .gap = 2});
    looks_.resize(columns_.size());
    float fixed = 0, shares = 0;
    for (const ColumnLook& each : looks_) {
      fixed += each.width;
      if (each.width == 0) ++shares;
    }
    wide_ = (box.w - fixed) / std::max(1.f, shares);
  }

  TableTouch draw() {
    if (columns_.empty()) return {};
    const float top = draw_heads();
    const std::vector<std::size_t> order = rows_by(table_, look_.sorts ? order_.sorted_by : columns_.size());
    draw_rows(order, {box_.x, top, box_.w, box_.bottom() - top});
    draw_table_menu(ui_, look_.label, asks_for_menu_, table_, order, touch_.copied);
    return touch_;
  }

 private:
  /// The box of a column in a row.
  Box place(std::size_t c, const Box& row) const {
    float fixed = 0, shares = 0;
    for (std::size_t before = 0; before < c; ++before) {
      fixed += looks_[before].width;
      if (looks_[before].width == 0) ++shares;
    }
    const float width = looks_[c].width;
    return {row.x + fixed + shares * wide_, row.y, width == 0 ? wide_ : width, row.h};
  }

  /// The x of a text in the column; `before` pixels at the left of the cell are taken.
  float text_x(const ColumnLook& look, const Box& cell, float before) const {
    if (look.align == Align::Left) return cell.x + before + ui_.px(look.inset);
    return look.align == Align::Right ? cell.right() - ui_.px(look.inset) : cell.centre_x();
  }

  float row_height(const Box& rows) const {
    const float least = ui_.px(look_.row_height);
    if (look_.most_row_height <= look_.row_height || table_.rows == 0) return least;
    return std::clamp(std::floor(rows.h / static_cast<float>(table_.rows)), least,
                      ui_.px(look_.most_row_height));
  }

  /// The index of a row of the table in that order; −1: it is not in it.
  static std::int64_t place_in(const std::vector<std::size_t>& order, std::int64_t row) {
    if (row < 0) return -1;
    const auto found = std::ranges::find(order, static_cast<std::size_t>(row));
    return found == order.end() ? -1 : found - order.begin();
  }

  /// Returns the y of the first row.
  float draw_heads() {
    if (look_.head_height <= 0) return box_.y;
    const bool two_lines =
        std::ranges::any_of(looks_, [](const ColumnLook& each) { return !each.below.empty(); });
    const float first_line = ui_.px(look_.head_height), high = first_line + (two_lines ? ui_.px(15) : 0);
    Ui::Touch all;
    if (!look_.sorts)
      all = ui_.touch((std::string(look_.label) + " heads").c_str(), {box_.x, box_.y, box_.w, high}, false);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Box line = place(c, {box_.x, box_.y, box_.w, first_line}), whole{line.x, line.y, line.w, high};
      draw_head(c, line, look_.sorts ? sorting_touch(c, whole) : touch_of_part(all, whole));
    }
    if (!look_.ruled) return box_.y + high;
    ui_.horizontal(box_.x, box_.y + high, box_.w, ui_.theme.hairline);
    return box_.y + high + ui_.px(3);
  }

  Ui::Touch sorting_touch(std::size_t c, const Box& box) {
    const Ui::Touch touch = ui_.touch(("sort by " + std::string(columns_[c]->title)).c_str(), box);
    if (touch.focused) ui_.frame(box, ui_.theme.query, ui_.px(2), ui_.px(4));
    return touch;
  }

  static Ui::Touch touch_of_part(Ui::Touch touch, const Box& part) {
    const bool here = part.contains(ImGui::GetIO().MousePos);
    touch.hovered = touch.hovered && here;
    touch.pointed = touch.pointed && here;
    return touch;
  }

  /// `box` is its first line.
  void draw_head(std::size_t c, const Box& box, const Ui::Touch& touch) {
    const ColumnLook& look = looks_[c];
    const bool on = look_.sorts && order_.sorted_by == c;
    if (touch.pointed && ImGui::IsMouseClicked(1)) asks_for_menu_ = true;
    if (look_.sorts && touch.clicked) order_.sorted_by = c;
    tooltip(ui_, touch.hovered, box, columns_[c]->tip);
    if (look.paint_head) return look.paint_head(box);
    const Rgba quiet = look.head_colour.value_or(ui_.theme.text3);
    const Rgba ink = on ? ui_.theme.text1 : look_.sorts && touch.hovered ? ui_.theme.text2 : quiet;
    const float x = text_x(look, box, 0), y = box.centre_y();
    TextStyle style{type::tick, ink, on ? Ink::Medium : look.head_ink, look.align};
    if (look.head_gap >= 0)
      style.max_width = box.w - ui_.px(look.inset) - ui_.px(look.head_gap + (on ? 4.f : 0.f));
    const float width = ui_.text(x, y, columns_[c]->title, style);
    if (!look.below.empty()) ui_.text(x, y + ui_.px(15), look.below, style);
    if (on) {
      const float side = ui_.px(8), r = ui_.px(3);
      const float at = look.align == Align::Left    ? x + width + side
                       : look.align == Align::Right ? x - width - side
                                                    : x + width / 2 + side;
      const std::array<ImVec2, 3> down{{{at - r, y - r / 2}, {at + r, y - r / 2}, {at, y + r}}};
      ui_.area(down, ui_.theme.query);
    }
  }

  void draw_rows(const std::vector<std::size_t>& order, Box rows) {
    rows.h += 0.01f;  // so that rounding does not lose the last row of a box of whole rows
    const float height = row_height(rows);
    if (rows.h < height) return;
    const RowList list(ui_, look_.label, rows, height, std::ssize(order), order_.first_row,
                       place_in(order, look_.followed));
    for (std::int64_t i = list.first(); i < list.last(); ++i)
      draw_row(order[static_cast<std::size_t>(i)], list.row(i));
  }

  void draw_row(std::size_t index, const Box& row) {
    const std::string name = look_.name ? look_.name(index) : written_cell(*columns_.front(), index);
    const Ui::Touch touch = ui_.touch((std::string(look_.label) + " " + name).c_str(), row, look_.focusable);
    look_.ground ? look_.ground(index, row, touch) : draw_ground(index, row, touch);
    for (std::size_t c = 0; c < columns_.size(); ++c) draw_cell(c, index, row);
    if (look_.head_height <= 0 && touch.pointed && ImGui::IsMouseClicked(1)) asks_for_menu_ = true;
    if (touch.hovered) touch_.hovered = index;
    if (touch.pointed) touch_.pointed = index;
    if (touch.clicked) touch_.clicked = index;
  }

  void draw_ground(std::size_t index, const Box& row, const Ui::Touch& touch) const {
    const bool chosen = look_.chosen == index;
    const Box ground{row.x - ui_.px(4), row.y, row.w + ui_.px(8), row.h};
    if (chosen) ui_.fill(ground, ui_.theme.raised, ui_.px(3));
    if (touch.hovered) ui_.fill(ground, ui_.theme.control_hover, ui_.px(3));
    if (chosen) ui_.fill({row.x - ui_.px(6), row.y, ui_.px(2), row.h}, ui_.theme.query);
    if (touch.focused) ui_.frame(row, ui_.theme.query, ui_.px(2), ui_.px(3));
  }

  void draw_cell(std::size_t c, std::size_t index, const Box& row) const {
    const ColumnLook& look = looks_[c];
    const Box cell = place(c, row);
    const float before = c == 0 ? draw_swatch(index, row) : 0;
    if (look.paint) return look.paint(index, cell);
    TextStyle style = look.style ? look.style(index) : style_of(c, index);
    style.align = look.align;
    if (look.gap >= 0) style.max_width = cell.w - before - ui_.px(look.inset) - ui_.px(look.gap);
    ui_.text(text_x(look, cell, before), row.centre_y(), written_cell(*columns_[c], index), style);
  }

  TextStyle style_of(std::size_t c, std::size_t index) const {
    const bool first = c == 0;
    if (first && look_.chosen == index) return {type::label, ui_.theme.query, Ink::Medium};
    const bool sorted = !first && look_.sorts && order_.sorted_by == c;
    return {type::label, first || sorted ? ui_.theme.text1 : ui_.theme.text2,
            sorted ? Ink::Medium : Ink::Regular};
  }

  /// Returns the width that it takes.
  float draw_swatch(std::size_t index, const Box& row) const {
    if (!look_.swatch) return 0;
    const float side = ui_.px(8);
    ui_.fill({row.x, std::round(row.centre_y() - side / 2), side, side}, look_.swatch(index), ui_.px(2));
    return side + ui_.px(6);
  }

  const Ui& ui_;
  Box box_;
  const Table& table_;
  const TableLook& look_;
  TableOrder& order_;
  std::vector<const TableColumn*> columns_;
  std::vector<ColumnLook> looks_;
  float wide_ = 0;
  bool asks_for_menu_ = false;
  TableTouch touch_;
};

}  // namespace

TableTouch draw_table(const Ui& ui, const Box& box, const Table& table, const TableLook& look,
                      TableOrder& order) {
  return TableView(ui, box, table, look, order).draw();
}

void offer_copy(const Ui& ui, const char* label, const Box& heads, const Table& table, std::string& copied) {
  const Ui::Touch touch = ui.touch((std::string(label) + " heads").c_str(), heads, false);
  draw_table_menu(ui, label, touch.pointed && ImGui::IsMouseClicked(1), table,
                  rows_by(table, table.columns.size()), copied);
}

}  // namespace attnscope
