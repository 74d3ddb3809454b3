// app/cli: `attnscope manual KIND`, which no help lists: app/package calls it.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace attnscope {

/// Adds it to `app`, which must outlive what is returned: called once `app` has parsed, that writes to
/// stdout; false when something else was asked for.
std::function<bool()> add_manual_command(CLI::App& app);

}  // namespace attnscope
