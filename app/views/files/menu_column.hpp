// app/views/files: rows of things that can be opened, saved or exported, below each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <imgui.h>

#include "app/kit/widgets/widgets.hpp"
#include "app/scene/scene.hpp"

namespace attnscope {

/// One column, filled from the top. A click on a row closes its menu.
class MenuColumn {
 public:
  MenuColumn(const Ui& ui, float x, float y, float width) : ui_(ui), x_(x), y_(y), width_(width) {}
  float bottom() const { return y_; }

  void title(std::string_view text) {
    ui_.text(x_ + ui_.px(10), y_ + ui_.px(14), text, {type::tick, ui_.theme.text3, Ink::Medium});
    y_ += ui_.px(28);
  }

  struct Row {
    std::string label;  // the robot finds it by this
    std::string_view shown, note;
    bool chosen = false, enabled = true;
  };
  bool row(const Row& row, const Tip& tip = {}) {
    const Box box{x_, y_, width_, ui_.px(28)};
    y_ += box.h;
    const Ui::Touch touch = ui_.touch(row.label.c_str(), box, row.enabled);
    if (row.enabled && (touch.hovered || touch.focused)) ui_.fill(box, ui_.theme.control_hover, ui_.px(6));
    if (row.chosen)
      ui_.fill({box.x + ui_.px(1), box.centre_y() - ui_.px(2.5f), ui_.px(5), ui_.px(5)}, ui_.theme.query,
               ui_.px(3));
    const float wide = ui_.text(box.x + ui_.px(10), box.centre_y(), row.shown,
                                {type::label, row.enabled ? ui_.theme.text1 : ui_.theme.disabled,
                                 Ink::Regular, Align::Left, box.w - ui_.px(20)});
    const float room = box.w - ui_.px(20) - std::min(wide, box.w) - ui_.px(16);
    if (room > ui_.px(32))
      ui_.text(
          box.right() - ui_.px(10), box.centre_y(), row.note,
          {type::tick, row.enabled ? ui_.theme.text3 : ui_.theme.disabled, Ink::Regular, Align::Right, room});
    tooltip(ui_, touch.hovered, box, tip);
    const bool clicked = touch.clicked && row.enabled;
    if (clicked) ImGui::CloseCurrentPopup();
    return clicked;
  }

  /// A line that cannot be clicked.
  void fact(std::string_view text) {
    ui_.text(x_ + ui_.px(10), y_ + ui_.px(10), text,
             {type::tick, ui_.theme.text2, Ink::Regular, Align::Left, width_ - ui_.px(20)});
    y_ += ui_.px(22);
  }

  void remark(std::string_view text) {
    y_ += ui_.paragraph(x_ + ui_.px(10), y_, width_ - ui_.px(20), text, {type::tick, ui_.theme.text3});
  }

 private:
  const Ui& ui_;
  float x_, y_, width_;
};

/// At most `shown` of the models that were found, those of the program first.
void list_models(Scene&, MenuColumn&, std::size_t shown);

}  // namespace attnscope
