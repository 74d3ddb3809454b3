// app/watch: looks at the stream of a process while the Watch page is on: one thread reads it, another makes
// pictures. Nothing of it runs while the page is not shown.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "app/state/watch/watch_state.hpp"
#include "app/watch/watch_sight.hpp"
#include "core/base/parallel.hpp"

namespace attnscope {

struct LayerResult;
struct ModelPlace;

/// Belongs to the interface's thread.
class Watcher {
 public:
  /// `wake` is called on a worker when there is something new. Of the pool a quarter helps at most: the
  /// process that is watched needs the others.
  Watcher(std::function<void()> wake, const SharedPool& pool);
  /// Stops both threads and waits for them; the process sends nothing from then on.
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// Once a frame: what is wanted, and what there is goes into state.sight. `is_shown`: the page is on
  /// screen; else the process is told that no window looks.
  void follow(WatchState& state, bool is_shown);
  /// Once a frame, too: models on the disk that have the shapes of the stream, while the page is shown, and
  /// the one that was opened beside it. `known`: paths of models that were opened here; `found`: those that
  /// other programs keep; `shown`: the layer on screen, null where there is none.
  void look_beside(WatchState& state, bool is_shown, const std::vector<std::filesystem::path>& known,
                   const std::vector<ModelPlace>& found, const LayerResult* shown);
  /// Whether something is still made of what has been read.
  bool is_busy() const;
  /// Blocks until that is made; false when nothing was.
  bool finish();

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace attnscope
