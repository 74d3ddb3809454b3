// app/window: a file in sentences, by the same App as the window and its pictures.
#pragma once

#include <filesystem>
#include <string>

#include "app/results/choose_backend.hpp"
#include "app/shell/app.hpp"

namespace attnscope {

struct DescribeOptions {
  std::filesystem::path file;
  std::string layer;  // of a dump; empty = the first
  Answers answers;    // to what a dump may not say
  Spot spot;          // what is looked at; as the session has it where it does not say
  BackendPreference backend = BackendPreference::Auto;
};

/// sentences_of() what the window would show. Throws Error for a file that cannot be opened or computed, and
/// where there is no OpenGL.
std::string describe_file(const DescribeOptions&);

}  // namespace attnscope
