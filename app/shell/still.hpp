// app/shell: a picture of what is on screen, drawn once more at another size. Views write into copies, so
// that the window goes on as if nothing had been drawn.
#pragma once

#include <memory>

#include "app/exports/drawn_picture.hpp"
#include "app/exports/grid_figure.hpp"
#include "app/kit/draw/svg.hpp"
#include "app/kit/draw/texture.hpp"
#include "app/state/layout.hpp"
#include "app/state/requests.hpp"
#include "app/state/selection.hpp"
#include "app/state/view_state.hpp"
#include "core/document/document.hpp"

namespace attnscope {

struct Still {
  Document document;
  Selection selection;
  ViewState view;         // its scale is that of the picture
  TextureCache textures;  // at its own scale
  Layout layout;          // where the regions stand, once a frame was drawn
  bool edited = false;
  bool figure = false;  // without what only a window needs
};

class App;
/// A page of all heads, drawn but for its pictures, for write_grid_figure(): by the ending of the path a PNG
/// or an SVG. In a context of its own as well. Throws Error naming the path: for another ending, where no
/// model is open, and for a page that is too large.
std::shared_ptr<GridFigure> draw_figure(const App&, const PictureRequest&);
/// Draws what the request asks for, by the ending of its path as PNG, SVG or HTML (then all that is on
/// screen, whatever region it names), in a Dear ImGui context of its own; leaves the current one and the
/// bound framebuffer as they were. Throws Error naming the path: for another ending, a region that is hidden,
/// and a size that cannot be drawn.
DrawnPicture draw_picture(const App&, const PictureRequest&);

}  // namespace attnscope
