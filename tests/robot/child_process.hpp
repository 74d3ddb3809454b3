// tests/robot: another program, started, watched and ended.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace attnscope {

class ChildProcess {
 public:
  struct Options {
    std::vector<std::string> environment;  // "NAME=value", over this process's own
    int report = -1;                       // a descriptor of this process, in the child number 3
    bool quiet = false;                    // its stderr goes nowhere
  };

  /// Starts `command[0]`, found through PATH. Throws Error when it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& command, const Options& options);
  /// Kills it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Its exit code; 128 + signal when a signal ended it; empty when it still runs after `patience`.
  std::optional<int> wait(std::chrono::milliseconds patience);
  bool running() { return !wait(std::chrono::milliseconds(0)); }
  /// Processor time it has used, user and system, of all its threads. Throws Error once it has ended.
  std::chrono::duration<double> processor_time() const;

 private:
  pid_t pid_ = 0;
  std::optional<int> exit_code_;
};

/// Whether PATH has this program.
bool program_exists(const std::string& name);

}  // namespace attnscope
