// app/window: describes a file in sentences, with the same App as the window and its pictures.
#pragma once

#include <filesystem>
#include <string>

#include "app/results/choose_backend.hpp"
#include "app/shell/app.hpp"

namespace attnscope {

struct DescribeOptions {
  std::filesystem::path file;
  std::string layer;  // of a dump; empty = the first
  Answers answers;    // to what a dump may not tell
  Spot spot;          // head and cell; those not given are the session's
  BackendPreference backend = BackendPreference::Auto;
};

struct Description {
  std::string sentences;
  std::string note;  // what a damaged session lost, or what else is to be known of the file; or empty
};
/// The sentences_of() what the window would show. Throws Error for a file that cannot be opened or computed,
/// and without OpenGL.
Description describe_file(const DescribeOptions&);

}  // namespace attnscope
