// app/cli: `attnscope manual KIND`, which no help lists: app/package calls it.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace attnscope {

/// Adds it to `app`, which must outlive the returned function. Call that after `app` has parsed: it writes to
/// stdout, or returns false if another command was given. Throws Error.
std::function<bool()> add_manual_command(CLI::App& app);

}  // namespace attnscope
