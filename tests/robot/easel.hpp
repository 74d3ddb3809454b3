// tests/robot: the one OpenGL context that the robots of a process draw in, one after another: making a
// context for each would take longer than most tests.
#pragma once

#include <string>

namespace attnscope {

/// Current while it lives. Throws Error if the robot before left anything behind: a texture, a buffer, a
/// setting that another picture could inherit.
class Easel {
 public:
  Easel();
  Easel(const Easel&) = delete;
  Easel& operator=(const Easel&) = delete;
};

/// The oldest error of OpenGL since the last call; 0 if there is none.
unsigned error_in_opengl();

/// In words, what the current context has that a fresh one has not; empty if nothing.
std::string left_behind();

}  // namespace attnscope
