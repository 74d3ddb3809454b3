// tests/robot: the main views of the window and the way to each, for tests of all of them.
#pragma once

#include <span>

#include "tests/robot/robot.hpp"

namespace attnscope {

struct MainView {
  const char* name;
  void (*show)(Robot&);  // from the opening picture; settle() afterwards
};

std::span<const MainView> main_views();

}  // namespace attnscope
