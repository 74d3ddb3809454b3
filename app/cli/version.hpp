// app/cli: the text of `attnscope --version`, for a bug report.
#pragma once

#include <string>

namespace attnscope {

/// Lines: the program and its commit; how it was built; the instruction set, card, OpenGL and assets found on
/// this machine, or why one is missing. Queries the card and makes an OpenGL context, both of which may take
/// a moment.
std::string version_text();

}  // namespace attnscope
