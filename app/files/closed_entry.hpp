// app/files: a session that was closed with changes and is in no other file, as the menu lists it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace attnscope {

struct ClosedEntry {
  std::filesystem::path path;  // a session
  std::string title;           // its document's title, as far as a file name can hold it
  std::int64_t closed = 0;     // seconds since 1970
};

}  // namespace attnscope
