// app/shell: a picture of what is on screen, drawn again at another size. Views write into copies, so that
// the window is not affected.
#pragma once

#include <memory>

#include "app/exports/drawn_picture.hpp"
#include "app/exports/grid_figure.hpp"
#include "app/kit/draw/svg.hpp"
#include "app/kit/draw/texture.hpp"
#include "app/state/regions/layout.hpp"
#include "app/state/requests.hpp"
#include "app/state/selection.hpp"
#include "app/state/window_state.hpp"
#include "core/document/document.hpp"

namespace attnscope {

struct Still {
  Document document;
  Selection selection;
  ViewState view;         // its scale is that of the picture
  TextureCache textures;  // at its own scale
  Layout layout;          // of the regions, once a frame was drawn
  bool edited = false;
  bool figure = false;  // without what only a window needs
};

class App;
/// A page of all heads, drawn except for its pictures, for write_grid_figure(); the extension of the path
/// chooses PNG or SVG. Drawn in a context of its own, too. Throws Error naming the path: for another
/// extension, without an open model, and for a page that is too large.
std::shared_ptr<GridFigure> draw_figure(const App&, const PictureRequest&);
/// Draws what the request asks for in a Dear ImGui context of its own; the current one and the bound
/// framebuffer stay unchanged. The extension of the path chooses PNG, SVG or HTML (then everything on screen,
/// whatever region is named). Throws Error naming the path: for another extension, a hidden region, and a
/// size that cannot be drawn.
DrawnPicture draw_picture(const App&, const PictureRequest&);

}  // namespace attnscope
