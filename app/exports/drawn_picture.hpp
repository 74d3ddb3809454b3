// app/exports: a picture that has been drawn but not written.
#pragma once

#include <filesystem>
#include <string>

#include "app/kit/draw/image.hpp"

namespace attnscope {

struct DrawnPicture {
  Image pixels;
  std::string file;  // the bytes of a finished file; empty if there are pixels instead
  std::filesystem::path path;
};

/// Writes it, atomically; on any thread. Throws Error if the system refuses.
void write_picture(const DrawnPicture&);

}  // namespace attnscope
