// app/views/presenter: presenting (F5): the picture alone, scaled for a room, and what one draws over it.
#pragma once

#include "app/state/presenter_state.hpp"
#include "app/state/regions/layout.hpp"

namespace attnscope {

struct Scene;

/// While this object lives, the view has the scale and colours for a room; then they are restored. No effect
/// while not presenting.
class PresentedView {
 public:
  /// `size` of the window in device pixels.
  PresentedView(ViewState& view, ImVec2 size);
  ~PresentedView() { end(); }
  /// Restores the person's own scale and colours, before anything reads or stores them.
  void end();
  PresentedView(const PresentedView&) = delete;
  PresentedView& operator=(const PresentedView&) = delete;

 private:
  ViewState& view_;
  bool on_;
  float scale_;
  ThemeName theme_;
};

/// The em of the smallest letter while presenting, in device pixels.
inline constexpr float least_presented_letter = 24;

/// The regions of a window that presents: one picture, and a line at its foot.
Layout presented_layout(const ViewState&, ImVec2 size);

/// Takes the mouse for marks over the picture; call before drawing the picture.
void take_presenter_mouse(Scene&, const Layout&);
/// Draws marks, halo, the pressed key and the keys' effects; call after drawing the picture.
void draw_presenter(Scene&, const Layout&);

void toggle_presenter(Scene&);
void toggle_pen(Scene&);
void toggle_arrow(Scene&);
void toggle_presenter_text(Scene&);
/// Removes all marks, or the last one.
void clear_marks(Scene&);
void take_back_mark(Scene&);

}  // namespace attnscope
