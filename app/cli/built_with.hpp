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
  /// "all", or those of streaming's kernels that were compiled to be fast, with ; between them: what app/run
  /// builds first is for its own machine. The others compute the same, slowly.
  std::string_view fast_kernels;
};

BuiltWith built_with();

}  // namespace attnscope
