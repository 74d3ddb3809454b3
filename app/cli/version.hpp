// app/cli: what `attnscope --version` says, for a report of something that went wrong.
#pragma once

#include <string>

namespace attnscope {

/// Lines: the program and its commit; how it was built; the instruction set, card, OpenGL and assets that it
/// finds on this machine, or why there is none. Asks the card and makes an OpenGL context, both of which may
/// take a moment.
std::string version_text();

}  // namespace attnscope
