// tests/robot: the one OpenGL context that the robots of a process draw in, one after another: a context of
// its own would take each of them longer than most of what it is asked to do.
#pragma once

#include <string>

namespace attnscope {

/// Current while it lives. Throws Error when the one before left anything behind: a texture, a buffer, a
/// setting that another picture could inherit.
class Easel {
 public:
  Easel();
  Easel(const Easel&) = delete;
  Easel& operator=(const Easel&) = delete;
};

/// What stands in the current context that a fresh one does not have, in words; empty when there is nothing.
std::string left_behind();

}  // namespace attnscope
