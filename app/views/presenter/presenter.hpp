// app/views/presenter: what F5 does: the picture for a room, with nothing else, and what one draws over it.
#pragma once

#include "app/scene/scene.hpp"
#include "app/state/layout.hpp"
#include "app/state/presenter_state.hpp"

namespace attnscope {

/// While this lives the view is scaled and coloured as for a room; then it is as it was. Nothing where it is
/// not presented.
class PresentedView {
 public:
  /// `size` of the window in device pixels.
  PresentedView(ViewState& view, ImVec2 size);
  ~PresentedView() { end(); }
  /// Scale and colours are the person's own again: before anything reads or keeps them.
  void end();
  PresentedView(const PresentedView&) = delete;
  PresentedView& operator=(const PresentedView&) = delete;

 private:
  ViewState& view_;
  bool on_;
  float scale_;
  ThemeName theme_;
};

/// No letter is smaller than this many device pixels (of its em) while it is presented.
inline constexpr float least_presented_letter = 24;

/// The regions of a window that presents: one picture, and a line at its foot.
Layout presented_layout(const ViewState&, ImVec2 size);

/// Takes the mouse for what is drawn over the picture; before the picture.
void take_presenter_mouse(Scene&, const Layout&);
/// Marks, halo, the pressed key and what keys do: after the picture.
void draw_presenter(Scene&, const Layout&);

void toggle_presenter(Scene&);
void toggle_pen(Scene&);
void toggle_arrow(Scene&);
void toggle_presenter_text(Scene&);
/// All marks, or the last one.
void clear_marks(Scene&);
void take_back_mark(Scene&);

}  // namespace attnscope
