// app/cli: `attnscope gallery`, which no help lists: all widgets of the kit on one page, for designers.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace attnscope {

/// Adds it to `app`, which must outlive what is returned: called once `app` has parsed, that writes the
/// picture; false when something else was asked for. Throws Error.
std::function<bool()> add_gallery_command(CLI::App& app);

}  // namespace attnscope
