// app/cli: `attnscope watch`: shows what a Python process that runs a model sends, in the window or as a file
// of its weights.
#pragma once

#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

namespace attnscope {

class WatchCommand {
 public:
  /// Adds it to `app`, which must outlive this.
  explicit WatchCommand(CLI::App& app);
  bool is_asked_for() const { return static_cast<bool>(*command_); }
  /// Writes the weights, or opens the window and goes on as run_window() does. Throws Error.
  int run() const;

 private:
  CLI::App* command_;
  std::string stream_, out_;
  double wait_ = 10;
};

}  // namespace attnscope
