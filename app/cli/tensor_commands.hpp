// app/cli: the commands from tensors to tensors: `attend`, `layer` and `rotate`.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace attnscope {

class TensorCommands {
 public:
  /// Adds them to `app`, which must outlive this.
  explicit TensorCommands(CLI::App& app);
  ~TensorCommands();
  /// Runs the command and returns a note about it, or an empty one; nullopt if another command was given.
  /// Throws Error.
  std::optional<std::string> run() const;

 private:
  struct Lines;
  std::unique_ptr<Lines> lines_;
};

}  // namespace attnscope
