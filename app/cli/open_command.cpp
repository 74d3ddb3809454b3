#include "app/cli/open_command.hpp"

#include <chrono>
#include <cstdio>
#include <optional>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "app/window/running_window.hpp"
#include "app/window/window.hpp"
#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

void tell_caller(const char* line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

/// Asks a running window to open the file, and waits for one that another program is about to open. If it
/// returns false, `door` is open, or none could be opened.
bool is_taken_by_window(const std::filesystem::path& socket, const OpenRequest& request,
                        std::optional<WindowDoor>& door) {
  constexpr int tries = 10;
  for (int i = 0; i < tries; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (ask_running_window(socket, request)) return true;
    door.emplace(socket);
    if (door->is_open()) return false;
  }
  return false;
}

}  // namespace

OpenCommand::OpenCommand(CLI::App& app)
    : command_(app.add_subcommand("open", "Open a file in a window, in the one that is there where asked")) {
  command_->add_option("FILE", file_, "What to open: all that the window takes")->required()->type_name("");
  command_->add_option("--layer", layer_, "Which layer of a dump, the first when not given")
      ->type_name("NAME");
  command_->add_flag("--same-window", same_window_,
                     "In the window that was opened like this before; the first one is opened");
}

int OpenCommand::run() const {
  std::error_code gone;
  const std::filesystem::path file = std::filesystem::absolute(file_, gone);
  if (!std::filesystem::exists(file, gone))
    throw Error(fmt::format("Cannot read {}: No such file or directory.", in_quotes(file_)));
  WindowOptions options;
  options.file = file;
  options.layer = layer_;
  if (!same_window_) return run_window(options);
  std::optional<WindowDoor> door;
  if (is_taken_by_window(window_socket(), {file, layer_}, door)) {
    tell_caller("opened in the window that was there");
    return 0;
  }
  options.door = &*door;
  options.opened = [] { tell_caller("opened in a window of its own"); };
  return run_window(options);
}

}  // namespace attnscope
