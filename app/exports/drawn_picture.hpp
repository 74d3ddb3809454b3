// app/exports: a picture that is drawn and not written yet.
#pragma once

#include <filesystem>
#include <string>

#include "app/kit/draw/image.hpp"

namespace attnscope {

struct DrawnPicture {
  Image pixels;
  std::string file;  // the bytes of a file that is ready; empty where it is pixels
  std::filesystem::path path;
};

/// Writes it, atomically; on any thread. Throws Error for what the system refuses.
void write_picture(const DrawnPicture&);

}  // namespace attnscope
