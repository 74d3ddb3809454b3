// app/shell: what a frame of the window and a picture of it have in common.
#pragma once

#include "app/shell/regions.hpp"
#include "app/state/selection.hpp"
#include "app/state/view_state.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// Dear ImGui's one window, as large as the screen; what is drawn while it lives is in it.
class WholeWindow {
 public:
  explicit WholeWindow(const Ui& ui);
  WholeWindow(const WholeWindow&) = delete;
  WholeWindow& operator=(const WholeWindow&) = delete;
  ~WholeWindow();
};

Selection without_hovers(Selection selection);

/// Where the regions stand. Other tokens as keys take a line of the strip of their own.
Layout layout_of(const Document& document, const ResultPtr& shown, const ViewState& view);

}  // namespace attnscope
