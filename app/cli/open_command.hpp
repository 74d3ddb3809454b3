// app/cli: `attnscope open`: a file in a window, a new one or the one that is there.
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
  /// With --same-window: asks the window that was opened like this, says so in a line on the standard output
  /// and returns 0; where there is none, this program opens one that can be asked, says so once it is there,
  /// and goes on as run_window() does. Throws Error.
  int run() const;

 private:
  CLI::App* command_;
  std::string file_, layer_;
  bool same_window_ = false;
};

}  // namespace attnscope
