// app/cli: `attnscope train`: a small transformer is trained from a task or a recipe, or trained again to
// compare.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace attnscope {

/// Adds it to `app`, which must outlive what is returned: called once `app` has parsed, that does what was
/// asked for; false when something else was asked for. Throws Error.
std::function<bool()> add_train_command(CLI::App& app);

}  // namespace attnscope
