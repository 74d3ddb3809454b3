// app/results: all weights of a head of a model, which are not kept when it runs. A worker makes them when a
// view asks, so that no frame waits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "app/state/model_head.hpp"
#include "app/state/selection.hpp"
#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/base/worker.hpp"
#include "core/models/run_model.hpp"

namespace attnscope {

struct HeadMap {
  std::shared_ptr<const ModelRun> run;
  ModelHead head;
  CellValue value = CellValue::Weight;
  Tensor numbers;     // [queries][keys]: α, or ‖α·v·W_O‖
  float largest = 0;  // of them
};
using HeadMapPtr = std::shared_ptr<const HeadMap>;

/// What a map is of.
struct HeadMapRequest {
  ModelPtr model;
  std::shared_ptr<const ModelRun> run;
  ModelHead head;
  CellValue value = CellValue::Weight;
  std::int64_t cells = 0;  // how many it has
  bool is_of(const HeadMap& map) const { return map.run == run && map.head == head && map.value == value; }
};
/// Throws Cancelled.
HeadMap make_head_map(const HeadMapRequest&, const Work&);

/// Belongs to the interface's thread.
class HeadMaps {
 public:
  /// So many cells are computed while a frame waits for them: about a millisecond.
  static constexpr std::int64_t most_at_once = 1 << 14;
  /// Where a map stands: each place has one.
  enum class Place : std::uint8_t { Shown, Now, Held };

  /// What a frame waits for is computed by its thread alone, the rest with the pool.
  explicit HeadMaps(SharedPool pool, std::int64_t at_once = most_at_once)
      : pool_(std::move(pool)), at_once_(at_once) {}
  /// Stops what is being made and waits for it.
  ~HeadMaps();
  HeadMaps(const HeadMaps&) = delete;
  HeadMaps& operator=(const HeadMaps&) = delete;

  /// The map of a place. While the worker makes it, the one before where that has the same shape and value,
  /// null else; null where it cannot be made. What was asked for in this place before is no longer made.
  HeadMapPtr get(Place, const HeadMapRequest&);
  /// Looks for the key on which a row of the head looks most; found() has it, once.
  void seek(const HeadMapRequest&, std::int64_t row);
  struct Found {
    ModelHead head;
    Cell cell;
  };
  std::optional<Found> found();

  /// What the worker has finished is there from now on; in between nothing that is there changes.
  void begin_frame();
  /// Whether something that was asked for is not there yet: draw again soon.
  bool is_computing() const;
  /// Blocks until the worker has made what was asked of it, and takes that over; false when there was nothing
  /// to wait for.
  bool finish();

 private:
  using Making = Task<HeadMapPtr>;
  struct Slot {
    std::optional<HeadMapRequest> asked;
    std::shared_ptr<Making> task;  // makes it; null: it is there, or cannot be made
    HeadMapPtr there;
  };
  using Seeking = Task<Found>;
  static void take(Slot&);

  /// How it is made: at once, or by the worker.
  int threads_for(const HeadMapRequest& request) const {
    return request.cells <= at_once_ ? 1 : ThreadPool::all_threads;
  }

  SharedPool pool_;
  std::int64_t at_once_;
  std::array<Slot, 3> slots_;
  std::shared_ptr<Seeking> seeking_;
  std::optional<Found> found_;
  Worker worker_;  // last: joined before the rest goes
};

}  // namespace attnscope
