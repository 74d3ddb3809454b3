// app/cli: `attnscope lesson check|new|names`: for a person who writes a lesson in an editor.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace attnscope {

class LessonCommands {
 public:
  /// Adds them to `app`, which must outlive this.
  explicit LessonCommands(CLI::App& app);
  ~LessonCommands();
  /// Does what was asked for; false when it was none of them. Throws Error.
  bool run() const;

 private:
  struct Lines;
  std::unique_ptr<Lines> lines_;
};

}  // namespace attnscope
