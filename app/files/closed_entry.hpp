// app/files: a session that was closed with changes and is in no other file, as the menu lists it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace attnscope {

struct ClosedEntry {
  std::filesystem::path path;  // a session
  std::string title;           // of its document, as far as the name of a file holds it
  std::int64_t closed = 0;     // seconds since 1970
};

}  // namespace attnscope
