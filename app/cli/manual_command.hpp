// app/cli: `attnscope manual KIND`, which no help lists: app/package calls it.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace attnscope {

class ManualCommand {
 public:
  /// Adds it to `app`, which must outlive this.
  explicit ManualCommand(CLI::App& app);
  ~ManualCommand();
  /// Writes to stdout; false when something else was asked for.
  bool run() const;

 private:
  struct Line;
  std::unique_ptr<Line> line_;
};

}  // namespace attnscope
