// app/cli: `attnscope train`: trains a small transformer from a task or a recipe, or trains one again to
// compare.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace attnscope {

/// Adds it to `app`, which must outlive the returned function. Call that after `app` has parsed: it runs the
/// command, or returns false if another command was given. Throws Error.
std::function<bool()> add_train_command(CLI::App& app);

}  // namespace attnscope
