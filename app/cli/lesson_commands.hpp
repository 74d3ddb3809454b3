// app/cli: `attnscope lesson check|new|pages|names` and those of lesson_prints.hpp.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace attnscope {

/// Adds them to `app`, which must outlive the returned function. Call that after `app` has parsed: it runs
/// the command, or returns false if another command was given. Throws Error.
std::function<bool()> add_lesson_commands(CLI::App& app);

}  // namespace attnscope
