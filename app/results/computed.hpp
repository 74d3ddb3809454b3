// app/results: numbers that pictures ask for again in every frame: found where they are there, made on the
// spot where that is quick, by a worker otherwise. What is there does not change within a frame.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/base/worker.hpp"

namespace attnscope {

/// For each Key the newest values of different Requests. A Request names all that a value is made of, so that
/// equal ones have equal values. Belongs to the interface's thread.
template <class Key, class Request, class T>
class Computed {
 public:
  using Ptr = std::shared_ptr<const T>;

  /// So many values are kept for each Key.
  explicit Computed(std::size_t most) : most_(most) {}

  /// The value of this Request. While the worker (null: it is made here) still makes it, the newest one of
  /// the Key, of whatever Request; null where there is none, or where it cannot be made. `make(stop)` is
  /// called on the worker's thread and refers to nothing that may go.
  template <class Make>
  Ptr get(const Key& key, const Request& request, Worker* worker, Make&& make) {
    Slot& slot = slots_[key];
    const auto at = find(slot, request);
    if (at != slot.there.end()) return at->second;
    if (worker == nullptr) {
      keep(slot, request, std::make_shared<const T>(make(std::stop_token{})));
    } else if (!slot.task) {
      slot.coming = request;
      slot.task = std::make_shared<Making>(
          [make = std::forward<Make>(make)](const std::stop_token& stop, NoProgress&) {
            return std::make_shared<const T>(make(stop));
          });
      worker->add(slot.task);
    }
    return slot.there.empty() ? nullptr : slot.there.back().second;
  }
  /// Whether get() finds the value of this very Request.
  bool has(const Key& key, const Request& request) {
    const auto at = slots_.find(key);
    return at != slots_.end() && find(at->second, request) != at->second.there.end();
  }
  /// The Request of the newest value of a Key, which get() finds while it makes another; null where there is
  /// none.
  const Request* newest(const Key& key) const {
    const auto at = slots_.find(key);
    return at == slots_.end() || at->second.there.empty() ? nullptr : &at->second.there.back().first;
  }

  /// From here on what the worker has finished is there.
  void take_finished() {
    for (auto& [key, slot] : slots_) {
      if (!slot.task || !slot.task->is_done()) continue;
      const Ptr* made = slot.task->result();
      keep(slot, std::move(*slot.coming), made != nullptr ? *made : nullptr);
      slot.task.reset();
    }
  }
  /// Whether something is being made, or was finished since take_finished().
  bool is_busy() const {
    return std::any_of(slots_.begin(), slots_.end(), [](const auto& slot) { return slot.second.task; });
  }

  /// What another has is there as well, until get() has the Key's own.
  void inherit(const Computed& other) {
    for (const auto& [key, slot] : other.slots_)
      if (!slot.there.empty()) slots_[key].there.push_back(slot.there.back());
  }
  /// Forgets everything; what is being made is stopped.
  void clear() {
    for (auto& [key, slot] : slots_)
      if (slot.task) slot.task->cancel();
    slots_.clear();
  }

 private:
  using Making = Task<Ptr>;
  struct Slot {
    std::vector<std::pair<Request, Ptr>> there;  // the newest last
    std::optional<Request> coming;               // what the task makes
    std::shared_ptr<Making> task;
  };
  static auto find(Slot& slot, const Request& request) {
    return std::find_if(slot.there.begin(), slot.there.end(),
                        [&](const auto& entry) { return entry.first == request; });
  }
  void keep(Slot& slot, Request request, Ptr value) const {
    if (slot.there.size() >= most_) slot.there.erase(slot.there.begin());
    slot.there.emplace_back(std::move(request), std::move(value));
  }

  std::size_t most_;
  std::map<Key, Slot> slots_;
};

}  // namespace attnscope
