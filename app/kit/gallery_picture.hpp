// app/kit: the gallery drawn without a window.
#pragma once

#include <filesystem>
#include <functional>

#include "app/draw/image.hpp"
#include "app/kit/gallery.hpp"
#include "app/ui/theme.hpp"

namespace attnscope {

class Fonts;

struct GalleryPicture {
  int width = 1600, height = 1000;
  float scale = 1;
  ThemeName theme = ThemeName::Dark;
  bool system_fonts = true;  // false: the built-in one, the same everywhere
};
/// Needs a current OpenGL context. `seen` is called in the last frame, while what was drawn can be asked for.
Image gallery_picture(const GalleryPicture&, GalleryState&, const std::function<void()>& seen = {});

}  // namespace attnscope
