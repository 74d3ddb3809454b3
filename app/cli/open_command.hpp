// app/cli: `attnscope open`: opens a file in a new window or in the existing one.
#pragma once

#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

namespace attnscope {

class OpenCommand {
 public:
  /// Adds it to `app`, which must outlive this.
  explicit OpenCommand(CLI::App& app);
  bool is_asked_for() const { return static_cast<bool>(*command_); }
  /// With --same-window: asks the window that was opened by this command before, reports that in a line on
  /// the standard output and returns 0. Without such a window, this program opens one that can be asked,
  /// reports when it is open, and goes on as run_window() does. Throws Error.
  int run() const;

 private:
  CLI::App* command_;
  std::string file_, layer_;
  bool same_window_ = false;
};

}  // namespace attnscope
