// app/cli: facts that CMake knew when it configured this program. built_with.cpp.in, a file of its own,
// becomes their definition: a new commit recompiles nothing else.
#pragma once

#include <string_view>

namespace attnscope {

struct BuiltWith {
  std::string_view commit;    // hexadecimal; empty: neither a repository nor an archive of one
  std::string_view compiler;  // "GNU 12.2.0"
  std::string_view kind;      // "Release"
  std::string_view flags;     // of all files; some files have more
};

BuiltWith built_with();

}  // namespace attnscope
