// app/cli: `attnscope gallery`, which no help lists: all widgets of the kit on one page, for designers.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace attnscope {

/// Adds it to `app`, which must outlive the returned function. Call that after `app` has parsed: it writes
/// the picture, or returns false if another command was given. Throws Error.
std::function<bool()> add_gallery_command(CLI::App& app);

}  // namespace attnscope
