// app/kit: the gallery drawn without a window.
#pragma once

#include "app/kit/draw/image.hpp"
#include "app/kit/draw/svg.hpp"
#include "app/kit/gallery.hpp"
#include "app/kit/ui/theme.hpp"

namespace attnscope {

struct GalleryPicture {
  int width = 1600, height = 1000;
  float scale = 1;
  ThemeName theme = ThemeName::Dark;
  bool system_fonts = true;   // false: the built-in one, the same everywhere
  SvgCanvas* copy = nullptr;  // where the last frame is drawn a second time, as vectors
};
/// Needs a current OpenGL context.
Image gallery_picture(const GalleryPicture&, GalleryState&);

}  // namespace attnscope
