// app/cli: `attnscope train`: a small transformer is trained from a task or a recipe, or trained again to
// compare.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace attnscope {

class TrainCommand {
 public:
  /// Adds it to `app`, which must outlive this.
  explicit TrainCommand(CLI::App& app);
  ~TrainCommand();
  /// Does what was asked for; false when it was something else. Throws Error.
  bool run() const;

 private:
  struct Line;
  std::unique_ptr<Line> line_;
};

}  // namespace attnscope
