// app/results: a cache of numbers that pictures need in every frame. Quick ones are computed on the spot,
// others by a worker. Its contents do not change within a frame.
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

/// For each Key the newest values of different Requests. A Request contains all inputs of a value, so that
/// equal Requests have equal values. Belongs to the interface's thread.
template <class Key, class Request, class T>
class Computed {
 public:
  using Ptr = std::shared_ptr<const T>;

  /// `most`: the number of values that are kept for each Key.
  explicit Computed(std::size_t most) : most_(most) {}

  /// The value of this Request. While the worker still makes it, the newest value of the Key for any Request;
  /// null if there is none, or if making it failed. Without a worker it is made here. `make(stop)` is called
  /// on the worker's thread; what it refers to must stay alive.
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
  /// Whether get() has the value of exactly this Request.
  bool has(const Key& key, const Request& request) {
    const auto at = slots_.find(key);
    return at != slots_.end() && find(at->second, request) != at->second.there.end();
  }
  /// The Request of the newest value of a Key, which get() returns while it makes another; null if there is
  /// none.
  const Request* newest(const Key& key) const {
    const auto at = slots_.find(key);
    return at == slots_.end() || at->second.there.empty() ? nullptr : &at->second.there.back().first;
  }

  /// Makes the worker's finished values available.
  void take_finished() {
    for (auto& [key, slot] : slots_) {
      if (!slot.task || !slot.task->is_done()) continue;
      const Ptr* made = slot.task->result();
      keep(slot, std::move(*slot.coming), made != nullptr ? *made : nullptr);
      slot.task.reset();
    }
  }
  /// Whether a value is being made, or was finished after the last take_finished().
  bool is_busy() const {
    return std::any_of(slots_.begin(), slots_.end(), [](const auto& slot) { return slot.second.task; });
  }

  /// Takes over the newest values of another cache, until get() has a Key's own.
  void inherit(const Computed& other) {
    for (const auto& [key, slot] : other.slots_)
      if (!slot.there.empty()) slots_[key].there.push_back(slot.there.back());
  }
  /// Forgets everything and stops what is being made.
  void clear() {
    for (auto& [key, slot] : slots_)
      if (slot.task) slot.task->cancel();
    slots_.clear();
  }

 private:
  using Making = Task<Ptr>;
  struct Slot {
    std::vector<std::pair<Request, Ptr>> there;  // the newest last
    std::optional<Request> coming;               // the Request of the task
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
