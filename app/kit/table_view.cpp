#include "app/kit/table_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/widgets/row_list.hpp"

namespace attnscope {
namespace {

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
        first_(ui.px(look.first_width)) {
    const std::size_t others = columns_.empty() ? 0 : columns_.size() - 1;
    wide_ = (box.w - first_) / static_cast<float>(std::max<std::size_t>(1, others));
  }

  TableTouch draw() {
    if (columns_.empty()) return {};
    const float head = ui_.px(24);
    for (std::size_t c = 0; c < columns_.size(); ++c) draw_head(c, place(c, {box_.x, box_.y, box_.w, head}));
    ui_.horizontal(box_.x, box_.y + head, box_.w, ui_.theme.hairline);
    const std::vector<std::size_t> order = rows_by(table_, order_.sorted_by);
    draw_menu(order);
    const float height = ui_.px(look_.row_height), top = box_.y + head + ui_.px(3);
    const Box rows{box_.x, top, box_.w, box_.bottom() - top};
    if (rows.h < height) return touch_;
    const RowList list(ui_, look_.label, rows, height, std::ssize(order), order_.first_row);
    for (std::int64_t i = list.first(); i < list.last(); ++i)
      draw_row(order[static_cast<std::size_t>(i)], list.row(i));
    return touch_;
  }

 private:
  static constexpr const char* menu_label = "table menu";

  /// Where a column stands in a row.
  Box place(std::size_t c, const Box& row) const {
    if (c == 0) return {row.x, row.y, first_, row.h};
    return {row.x + first_ + static_cast<float>(c - 1) * wide_, row.y, wide_, row.h};
  }

  void draw_head(std::size_t c, const Box& box) {
    const bool on = order_.sorted_by == c;
    const std::string_view title = columns_[c]->title;
    const Ui::Touch touch = ui_.touch(("sort by " + std::string(title)).c_str(), box);
    if (touch.focused) ui_.frame(box, ui_.theme.query, ui_.px(2), ui_.px(4));
    const Rgba ink = on ? ui_.theme.text1 : touch.hovered ? ui_.theme.text2 : ui_.theme.text3;
    const float y = box.centre_y();
    const Align align = c == 0 ? Align::Left : Align::Right;
    const float x = c == 0 ? box.x : box.right();
    const float width = ui_.text(
        x, y, title, {type::tick, ink, on ? Ink::Medium : Ink::Regular, align, box.w - ui_.px(on ? 8 : 4)});
    if (on) {
      const float at = c == 0 ? x + width + ui_.px(8) : x - width - ui_.px(8), r = ui_.px(3);
      const std::array<ImVec2, 3> down{{{at - r, y - r / 2}, {at + r, y - r / 2}, {at, y + r}}};
      ui_.area(down, ui_.theme.query);
    }
    tooltip(ui_, touch.hovered, box, columns_[c]->tip);
    if (touch.clicked) order_.sorted_by = c;
    if (touch.pointed && ImGui::IsMouseClicked(1)) ImGui::OpenPopup(menu_label);
  }

  void draw_menu(const std::vector<std::size_t>& order) {
    context_menu(ui_, menu_label, [&] {
      if (menu_row(ui_, "Copy the table", "tab-separated")) touch_.copied = tab_separated(table_, order);
    });
  }

  void draw_row(std::size_t index, const Box& row) {
    const std::string name = written_cell(*columns_.front(), index);
    const Ui::Touch touch = ui_.touch((std::string(look_.label) + " " + name).c_str(), row);
    const bool chosen = look_.chosen == index;
    const Box ground{row.x - ui_.px(4), row.y, row.w + ui_.px(8), row.h};
    if (chosen) ui_.fill(ground, ui_.theme.raised, ui_.px(3));
    if (touch.hovered) ui_.fill(ground, ui_.theme.control_hover, ui_.px(3));
    if (chosen) ui_.fill({row.x - ui_.px(6), row.y, ui_.px(2), row.h}, ui_.theme.query);
    if (touch.focused) ui_.frame(row, ui_.theme.query, ui_.px(2), ui_.px(3));
    const float y = row.centre_y(), before = draw_swatch(index, row);
    ui_.text(row.x + before, y, name,
             {type::label, chosen ? ui_.theme.query : ui_.theme.text1, chosen ? Ink::Medium : Ink::Regular,
              Align::Left, first_ - before - ui_.px(2)});
    for (std::size_t c = 1; c < columns_.size(); ++c) {
      const bool sorted = order_.sorted_by == c;
      ui_.text(place(c, row).right(), y, written_cell(*columns_[c], index),
               {type::label, sorted ? ui_.theme.text1 : ui_.theme.text2, sorted ? Ink::Medium : Ink::Regular,
                Align::Right, wide_ - ui_.px(4)});
    }
    if (touch.pointed) touch_.pointed = index;
    if (touch.clicked) touch_.clicked = index;
  }

  /// Returns what it takes of the row.
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
  float first_, wide_ = 0;
  TableTouch touch_;
};

}  // namespace

TableTouch draw_table(const Ui& ui, const Box& box, const Table& table, const TableLook& look,
                      TableOrder& order) {
  return TableView(ui, box, table, look, order).draw();
}

}  // namespace attnscope
