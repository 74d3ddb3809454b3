#include "app/results/head_maps.hpp"

#include <algorithm>
#include <utility>

#include "core/models/keys_seen.hpp"
#include "core/models/run_heads.hpp"
#include "core/readouts/contribution.hpp"

namespace attnscope {
namespace {

HeadMaps::Found strongest_cell(const HeadMapRequest& of, std::int64_t row, const Work& work) {
  return {of.head,
          {row, strongest_key(*of.model, *of.run, of.head.of, static_cast<std::size_t>(of.head.block),
                              of.head.head, row, work)}};
}

}  // namespace

HeadMap make_head_map(const HeadMapRequest& of, const Work& work) {
  const auto block = static_cast<std::size_t>(of.head.block);
  const bool adds = of.value == CellValue::Contribution;
  HeadMap map{of.run, of.head, of.value,
              adds ? contributions(*of.model, *of.run, of.head.of, block, of.head.head, work)
                   : head_weights(*of.model, *of.run, of.head.of, block, of.head.head, work),
              0};
  for (const float number : map.numbers.values())
    if (number > map.largest) map.largest = number;
  return map;
}

std::int64_t map_cost(const HeadMapRequest& of) {
  if (of.value != CellValue::Contribution) return of.cells;
  const ModelSpec& spec = of.model->spec;
  const StackSpec& stack = spec.stack(of.head.of);
  const LayerSpec& attention = stack.blocks[static_cast<std::size_t>(of.head.block)];
  // A weight costs d_v multiplications. All heads' columns of W_O are widened: d_model · heads · d_v numbers;
  // W·Wᵀ takes d_model · d_v² of them, and the lengths of the values keys · d_v².
  const std::int64_t rows = std::max<std::int64_t>(1, rows_of(*of.run, of.head.of));
  return of.cells + spec.d_model * std::int64_t{attention.heads + attention.d_k} +
         of.cells / rows * attention.d_k;
}

HeadMaps::~HeadMaps() { worker_.cancel(); }

HeadMapPtr HeadMaps::get(Place place, const HeadMapRequest& request) {
  Slot& slot = slots_[static_cast<std::size_t>(place)];
  if (slot.there && request.is_of(*slot.there)) {
    if (slot.task) slot.task->cancel();
    slot.task.reset();
    slot.asked = request;
    return slot.there;
  }
  const bool is_asked = slot.asked && slot.asked->run == request.run && slot.asked->head == request.head &&
                        slot.asked->value == request.value;
  if (!is_asked) {
    const std::int64_t cost = map_cost(request);
    if (slot.task) slot.task->cancel();
    slot.asked = request;
    slot.task = std::make_shared<Making>(
        [request, pool = pool_, threads = threads_for(cost)](const std::stop_token& stop, NoProgress&) {
          const Work work{.pool = *pool, .stop = stop, .most_threads = threads};
          return std::make_shared<const HeadMap>(make_head_map(request, work));
        });
    if (cost <= at_once_) {
      slot.task->step();
      take(slot);
      return slot.there && request.is_of(*slot.there) ? slot.there : nullptr;
    }
    worker_.add(slot.task);
  }
  const HeadMapPtr& before = slot.there;
  const bool stands_in = slot.task && before && before->run == request.run &&
                         before->head.of == request.head.of && before->value == request.value;
  return stands_in ? before : nullptr;
}

void HeadMaps::seek(const HeadMapRequest& request, std::int64_t row) {
  if (seeking_) seeking_->cancel();
  seeking_ = std::make_shared<Seeking>([request, row, pool = pool_, threads = threads_for(request.cells)](
                                           const std::stop_token& stop, NoProgress&) {
    return strongest_cell(request, row, Work{.pool = *pool, .stop = stop, .most_threads = threads});
  });
  if (request.cells <= at_once_) {
    seeking_->step();
    if (const Found* there = seeking_->result()) found_ = *there;
    seeking_.reset();
  } else {
    worker_.add(seeking_);
  }
}

std::optional<HeadMaps::Found> HeadMaps::found() { return std::exchange(found_, std::nullopt); }

void HeadMaps::take(Slot& slot) {
  if (!slot.task || !slot.task->is_done()) return;
  if (const HeadMapPtr* made = slot.task->result()) slot.there = *made;
  slot.task.reset();
}

void HeadMaps::begin_frame() {
  for (Slot& slot : slots_) take(slot);
  if (!seeking_ || !seeking_->is_done()) return;
  if (const Found* there = seeking_->result()) found_ = *there;
  seeking_.reset();
}

bool HeadMaps::is_computing() const {
  return seeking_ || found_ ||
         std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.task; });
}

bool HeadMaps::finish() {
  const bool waits =
      seeking_ || std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.task; });
  if (!waits) return false;
  worker_.wait();
  begin_frame();
  return true;
}

}  // namespace attnscope
