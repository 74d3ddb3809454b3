// app/watch: finds models with the shapes of the stream, and compares the model that was opened beside it, on
// a worker's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/state/watch/watch_state.hpp"
#include "app/watch/join.hpp"
#include "app/watch/same_shapes.hpp"
#include "core/base/parallel.hpp"
#include "core/base/worker.hpp"

namespace attnscope {

/// Call it on the interface's thread alone.
class Beside {
 public:
  /// `wake` is called on the worker's thread after each result.
  Beside(std::function<void()> wake, SharedPool pool) : wake_(std::move(wake)), pool_(std::move(pool)) {}
  /// Stops the worker and waits for it.
  ~Beside();
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  /// Once a frame: puts the models that have the shapes of the stream in state.shown into state.offers. The
  /// worker looks for them while the Watch page `is_shown`, and again only for other shapes or places.
  void offer(WatchState& state, bool is_shown, const std::vector<std::filesystem::path>& known,
             const std::vector<ModelPlace>& found);
  /// Once a frame: puts the differences between the layer on screen and the watched one into state.verdicts.
  /// Null: no layer is on screen.
  void compare(WatchState& state, const LayerResult* shown);
  bool is_busy() const { return finding_ || comparing_; }
  void wait() const { worker_.wait(); }

 private:
  using Finding = Task<std::vector<WatchOffer>>;
  using Comparing = Task<JoinVerdict>;
  bool is_asked(const std::vector<std::filesystem::path>& known, const std::vector<ModelPlace>& found) const;
  void look_at(const ShownWatch&);
  void take_found(WatchState&);
  void find();

  std::function<void()> wake_;
  SharedPool pool_;                      // none of its threads help: the watched process needs them
  std::uint64_t text_ = 0;               // WatchedSnapshot::change that shapes_ are of
  std::filesystem::path stream_;         // likewise
  std::optional<WatchedShapes> shapes_;  // empty: unknown
  std::optional<WatchedShapes> asked_;
  OfferPlaces places_;
  std::shared_ptr<Finding> finding_;
  std::shared_ptr<const WatchJoin> join_;                  // the compared model
  std::optional<std::pair<std::uint64_t, int>> compared_;  // ticket of the compared result, and its block
  std::shared_ptr<Comparing> comparing_;
  Worker worker_;  // last: joined before the rest goes
};

}  // namespace attnscope
