// app: a picture of the window without a window.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace attnscope {

struct RenderWish {
  std::optional<std::filesystem::path> file;  // the first example when there is none
  std::filesystem::path out;                  // PNG
  int width = 1600, height = 1000;            // of the PNG, pixels
  float scale = 1;                            // display scale: at 2, everything is twice as large
  std::string view = "explore";
  std::string theme = "dark";
};

/// Draws with the same App as the window until its picture is complete, and writes it. Throws Error for a
/// file that cannot be opened or computed, a view or theme that does not exist, a size that cannot be drawn,
/// and whatever keeps the PNG from being written.
void render_picture(const RenderWish&);

}  // namespace attnscope
