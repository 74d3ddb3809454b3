// app/shell: shared by frames of the window and pictures of it.
#pragma once

#include "app/shell/regions.hpp"
#include "app/state/selection.hpp"
#include "app/state/window_state.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// Dear ImGui's only window, as large as the screen; everything drawn while this object lives is in it.
class WholeWindow {
 public:
  explicit WholeWindow(const Ui& ui);
  WholeWindow(const WholeWindow&) = delete;
  WholeWindow& operator=(const WholeWindow&) = delete;
  ~WholeWindow();
};

Selection without_hovers(Selection selection);

/// The places of the regions. Keys of other tokens (cross-attention) need another line of the strip.
Layout layout_of(const Document& document, const ResultPtr& shown, const ViewState& view);

}  // namespace attnscope
