// app/cli: `attnscope gallery`, which no help lists: all widgets of the kit on one page, for designers.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace attnscope {

class GalleryCommand {
 public:
  /// Adds it to `app`, which must outlive this.
  explicit GalleryCommand(CLI::App& app);
  ~GalleryCommand();
  /// Writes the picture; false when something else was asked for. Throws Error.
  bool run() const;

 private:
  struct Line;
  std::unique_ptr<Line> line_;
};

}  // namespace attnscope
