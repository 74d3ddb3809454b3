// app/kit/widgets: a card that floats above the regions: a window of its own, so that what lies under it is
// not touched through it.
#pragma once

#include "app/kit/ui/ui.hpp"

namespace attnscope {

/// The window is open while this lives; what is drawn meanwhile is in it.
class CardWindow {
 public:
  /// `more`: Dear ImGui's flags beside those that every card has.
  CardWindow(const Ui& ui, const char* name, const Box& box, int more = 0);
  ~CardWindow();
  CardWindow(const CardWindow&) = delete;
  CardWindow& operator=(const CardWindow&) = delete;
};

}  // namespace attnscope
