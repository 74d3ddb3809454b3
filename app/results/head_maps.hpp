// app/results: all weights of one head of a model; a run does not keep them. A worker computes them when a
// view needs them, so that no frame waits.
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
  float largest = 0;  // the largest of the numbers
};
using HeadMapPtr = std::shared_ptr<const HeadMap>;

/// The inputs of a map.
struct HeadMapRequest {
  ModelPtr model;
  std::shared_ptr<const ModelRun> run;
  ModelHead head;
  CellValue value = CellValue::Weight;
  std::int64_t cells = 0;  // the number of cells
  bool is_of(const HeadMap& map) const { return map.run == run && map.head == head && map.value == value; }
};
/// Throws Cancelled.
HeadMap make_head_map(const HeadMapRequest&, const Work&);
/// How much work making it is: as much as that many weights. Contributions need W·Wᵀ of the head's part of
/// W_O first, which in a large model is more than all weights of a short text.
std::int64_t map_cost(const HeadMapRequest&);

/// Belongs to the interface's thread.
class HeadMaps {
 public:
  /// The most work that is done while a frame waits, in weights: about a millisecond.
  static constexpr std::int64_t most_at_once = 1 << 14;
  /// The use of a map; each has one.
  enum class Place : std::uint8_t { Shown, Now, Held };

  /// Small maps are computed by the frame's own thread, the others with the pool.
  explicit HeadMaps(SharedPool pool, std::int64_t at_once = most_at_once)
      : pool_(std::move(pool)), at_once_(at_once) {}
  /// Stops the worker and waits for it.
  ~HeadMaps();
  HeadMaps(const HeadMaps&) = delete;
  HeadMaps& operator=(const HeadMaps&) = delete;

  /// The map for this use. While the worker makes it, the previous one if that has the same shape and value,
  /// else null; null also if it cannot be made. A previous request of this use is dropped.
  HeadMapPtr get(Place, const HeadMapRequest&);
  /// Searches the key with the largest weight in a row of the head; found() returns it, once.
  void seek(const HeadMapRequest&, std::int64_t row);
  struct Found {
    ModelHead head;
    Cell cell;
  };
  std::optional<Found> found();

  /// Makes the worker's finished maps available; until the next call they do not change.
  void begin_frame();
  /// Whether a requested map is not there yet: draw another frame soon.
  bool is_computing() const;
  /// Blocks until the worker has made everything requested, and takes it over; false if there was nothing to
  /// wait for.
  bool finish();

 private:
  using Making = Task<HeadMapPtr>;
  struct Slot {
    std::optional<HeadMapRequest> asked;
    std::shared_ptr<Making> task;  // null: the map is there, or cannot be made
    HeadMapPtr there;
  };
  using Seeking = Task<Found>;
  static void take(Slot&);

  /// The threads that do the work: one at once, or all by the worker.
  int threads_for(std::int64_t cost) const { return cost <= at_once_ ? 1 : ThreadPool::all_threads; }

  SharedPool pool_;
  std::int64_t at_once_;
  std::array<Slot, 3> slots_;
  std::shared_ptr<Seeking> seeking_;
  std::optional<Found> found_;
  Worker worker_;  // last: it is joined before the other members are destroyed
};

}  // namespace attnscope
