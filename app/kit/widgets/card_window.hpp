// app/kit/widgets: a card that floats above the regions, in its own window, so that clicks do not reach what
// lies under it.
#pragma once

#include "app/kit/ui/ui.hpp"

namespace attnscope {

/// The window is open while this object exists; what is drawn meanwhile is in it.
class CardWindow {
 public:
  /// `more`: Dear ImGui's flags beside those that every card has.
  CardWindow(const Ui& ui, const char* name, const Box& box, int more = 0);
  ~CardWindow();
  CardWindow(const CardWindow&) = delete;
  CardWindow& operator=(const CardWindow&) = delete;
};

}  // namespace attnscope
