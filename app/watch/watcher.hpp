// app/watch: reads the stream of a process while the Watch page is shown. One thread reads it, one computes
// the chosen head, one the grid; a fourth finds and compares models. Nothing is read or drawn while the page
// is not shown.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "app/state/watch/watch_state.hpp"
#include "app/watch/shown_watch.hpp"
#include "core/base/parallel.hpp"

namespace attnscope {

struct LayerResult;
struct ModelPlace;

/// Call it on the interface's thread alone.
class Watcher {
 public:
  /// `wake` is called on a worker's thread when there is something new. At most a quarter of the pool's
  /// threads, and at most four, help: the watched process needs the others.
  Watcher(std::function<void()> wake, const SharedPool& pool);
  /// Stops the threads and waits for them; the process sends nothing from then on.
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// Once a frame: takes the wants of `state` and puts the newest data into state.shown. `is_shown`: the page
  /// is on screen; else the process is told that no window reads its stream.
  void follow(WatchState& state, bool is_shown);
  /// Once a frame, too: finds models on the disk that have the shapes of the stream, while the page is shown,
  /// and compares the one that was opened beside it, see Beside. `known`: paths of models that were opened
  /// here; `found`: those that other programs keep; `shown`: the layer on screen, or null.
  void look_beside(WatchState& state, bool is_shown, const std::vector<std::filesystem::path>& known,
                   const std::vector<ModelPlace>& found, const LayerResult* shown);
  /// Whether something is still computed from what has been read.
  bool is_busy() const;
  /// Blocks until running tasks are done; false if none was.
  bool finish();

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace attnscope
