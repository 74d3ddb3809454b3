// app/cli: the commands for the folder of a model: `run`, `atlas`, `heads`, `similar`, `tokenize` and
// `model`.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace attnscope {

class ModelCommands {
 public:
  /// Adds them to `app`, which must outlive this.
  explicit ModelCommands(CLI::App& app);
  ~ModelCommands();
  /// Does what was asked for; false when it was none of them. Throws Error.
  bool run() const;

 private:
  struct Lines;
  std::unique_ptr<Lines> lines_;
};

}  // namespace attnscope
