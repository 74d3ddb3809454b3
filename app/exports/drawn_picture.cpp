#include "app/exports/drawn_picture.hpp"

#include <array>
#include <string_view>

#include "core/files/formats/atomic_write.hpp"

namespace attnscope {

void write_picture(const DrawnPicture& picture) {
  if (picture.file.empty()) return save_png(picture.pixels, picture.path);
  write_atomically(picture.path, std::array{std::string_view(picture.file)});
}

}  // namespace attnscope
