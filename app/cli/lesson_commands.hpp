// app/cli: `attnscope lesson check|new|pages|names`: for a person who writes a lesson in an editor.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace attnscope {

/// Adds them to `app`, which must outlive what is returned: called once `app` has parsed, that does what was
/// asked for; false when something else was asked for. Throws Error.
std::function<bool()> add_lesson_commands(CLI::App& app);

}  // namespace attnscope
