// app/cli: what CMake knew when it configured this program. The definition is made from built_with.cpp.in,
// alone in its file: another commit compiles nothing else again.
#pragma once

#include <string_view>

namespace attnscope {

struct BuiltWith {
  std::string_view commit;    // hexadecimal; empty: neither a repository nor an archive of one
  std::string_view compiler;  // "GNU 12.2.0"
  std::string_view kind;      // "Release"
  std::string_view flags;     // of every file; some have more
};

BuiltWith built_with();

}  // namespace attnscope
