#include "app/watch/watcher.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "app/watch/beside.hpp"
#include "app/watch/listening.hpp"
#include "app/watch/make_shown_watch.hpp"
#include "app/watch/watch_held.hpp"
#include "core/base/worker.hpp"

namespace attnscope {
namespace {

/// Threads that compute the grid: the watched process needs the others.
int threads_of_grid(const ThreadPool& pool) { return std::clamp(pool.threads() / 4, 1, 4); }

Work work_of(const SharedPool& pool, const std::stop_token& stop, int threads) {
  return {.pool = *pool, .stop = stop, .most_threads = threads};
}

}  // namespace

class Watcher::Parts {
 public:
  Parts(const std::function<void()>& wake, const SharedPool& pool)
      : wake_(wake), pool_(pool), listening_(wake), beside_(wake, pool) {}
  ~Parts() {
    if (reads_) reads_->cancel();
    if (head_.task) head_.task->cancel();
    if (grid_.task) grid_.task->cancel();
    if (held_head_.task) held_head_.task->cancel();
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void follow(WatchState& state, bool is_shown) {
    read(state, is_shown);
    if (std::optional<Listening::There> there = listening_.there(version_)) {
      version_ = there->version;
      if (there->connection.path != now_.connection.path) {
        forget();
        // The chosen stream has ended, and one that began later is followed.
        if (now_.connection.path == state.wanted) state.is_chosen = false;
      }
      now_.connection = std::move(there->connection);
      now_.text = std::move(there->text);
      is_new_ = true;
    }
    keep_inside(state);
    if (take(head_)) now_.head = head_.there;
    if (take(grid_)) now_.grid = grid_.there;
    waits_ = false;
    if (is_shown) make(state);
    follow_held(state, is_shown);
    if (!state.shown || std::exchange(is_new_, false)) state.shown = std::make_shared<const ShownWatch>(now_);
  }
  Beside& beside() { return beside_; }
  bool is_busy() const { return head_.task || grid_.task || held_head_.task || beside_.is_busy(); }
  bool finish() {
    if (!is_busy()) return false;
    head_worker_.wait();
    grid_worker_.wait();
    beside_.wait();
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  template <class T>
  struct Slot {
    std::shared_ptr<Task<std::shared_ptr<const T>>> task;  // computes the next one; null: none
    std::shared_ptr<const T> there;
    WatchedSnapshotPtr of;          // snapshot asked for last
    Clock::time_point begun, next;  // `next`: not computed again before that
  };

  void read(const WatchState& state, bool is_shown) {
    listening_.want({state.wanted, state.is_chosen, state.sends, state.paused});
    if (is_shown && !reads_) {
      reads_ =
          std::make_shared<Stepwise>([this](const std::stop_token& stop) { return listening_.step(stop); },
                                     [this] { listening_.rest(); });
      reader_.add(reads_);
    } else if (!is_shown && reads_) {
      std::exchange(reads_, nullptr)->cancel();
    }
  }

  /// Another process: drops what was computed for the previous one.
  void forget() {
    if (head_.task) head_.task->cancel();
    if (grid_.task) grid_.task->cancel();
    head_ = {};
    grid_ = {};
    now_.head.reset();
    now_.grid.reset();
    asked_ = {-1, -1};
  }

  /// Moves the choice to an existing layer, head, row and key.
  void keep_inside(WatchState& state) const {
    const auto& layers = now_.text->layers;
    if (layers.empty()) return;
    if (now_.text->find(state.layer) == nullptr) state.layer = layers.front()->index;
    const WatchedLayer& layer = *now_.text->find(state.layer);
    state.head = std::clamp<std::int64_t>(state.head, 0, layer.heads - 1);
    if (state.row && layer.row_at(*state.row) < 0) state.row.reset();
    if (state.key && *state.key >= layer.keys()) state.key.reset();
  }

  template <class T>
  bool take(Slot<T>& slot) {
    if (!slot.task || !slot.task->is_done()) return false;
    const auto task = std::exchange(slot.task, nullptr);
    // Pauses as long as the task took: half of the time the processor is left to the watched process.
    const auto took = Clock::now() - slot.begun;
    slot.next = took > std::chrono::milliseconds(20) ? Clock::now() + took : Clock::now();
    if (const std::shared_ptr<const T>* made = task->result()) {
      slot.there = *made;
      now_.trouble.clear();
    } else if (task->error() != "Stopped.") {
      now_.trouble = task->error();
    }
    return is_new_ = true;
  }

  template <class T, class Make>
  void begin(Slot<T>& slot, Worker& worker, Make make) {
    slot.of = now_.text;
    slot.begun = Clock::now();
    slot.task = std::make_shared<Task<std::shared_ptr<const T>>>(
        [make = std::move(make), wake = wake_](const std::stop_token& stop, NoProgress&) {
          auto made = std::make_shared<const T>(make(stop));
          if (wake) wake();
          return made;
        });
    worker.add(slot.task);
  }

  /// Computes the chosen head of the held pass, too.
  void follow_held(WatchState& state, bool is_shown) {
    using HeadTask = Task<std::shared_ptr<const ShownWatchHead>>;
    const std::pair at(state.layer, state.head);
    if (held_ != state.held) {
      held_ = state.held;
      held_head_.there = held_ ? held_->head : nullptr;
      asked_held_ = {-1, -1};
      if (held_head_.task) held_head_.task->cancel();
    }
    if (held_head_.task && held_head_.task->is_done()) {
      const std::shared_ptr<HeadTask> task = std::exchange(held_head_.task, nullptr);
      const auto* const made = task->result();
      if (made != nullptr && asked_held_.first >= 0) held_head_.there = *made;
      if (task->error() == "Stopped.") asked_held_ = {-1, -1};
    }
    const auto fits = [&] {
      const ShownWatchHead* const there = held_head_.there.get();
      return there != nullptr && there->layer->index == at.first && there->head == at.second;
    };
    state.held_head = fits() ? held_head_.there : nullptr;
    if (!held_ || fits() || asked_held_ == at || !is_shown) return;
    if (held_head_.task)
      return held_head_.task->cancel();  // it computes another head; this one is asked for in a later frame
    asked_held_ = at;
    const WatchedSnapshotPtr text = held_->head->text;
    const WatchedLayer* const layer = text->find(at.first);
    if (layer == nullptr || layer->rows() == 0 || at.second >= layer->heads) return;
    held_head_.task = std::make_shared<HeadTask>(
        [text, at, wake = wake_, pool = pool_](const std::stop_token& stop, NoProgress&) {
          auto made = std::make_shared<const ShownWatchHead>(
              make_watch_head(text, at.first, at.second, work_of(pool, stop, 1)));
          if (wake) wake();
          return made;
        });
    head_worker_.add(held_head_.task);
  }

  void make(const WatchState& state) {
    const WatchedSnapshotPtr text = now_.text;
    const WatchedLayer* const layer = text->find(state.layer);
    if (layer == nullptr || layer->rows() == 0) return;
    const bool other_head = asked_ != std::pair(state.layer, state.head);
    if (other_head && head_.task) head_.task->cancel();
    if (!head_.task && (other_head || (head_.of != text && Clock::now() >= head_.next))) {
      asked_ = {state.layer, state.head};
      begin(head_, head_worker_, [text, at = asked_, pool = pool_](const std::stop_token& stop) {
        return make_watch_head(text, at.first, at.second, work_of(pool, stop, 1));
      });
    }
    if (!grid_.task && grid_.of != text && Clock::now() >= grid_.next)
      begin(grid_, grid_worker_, [text, before = grid_.there, pool = pool_](const std::stop_token& stop) {
        return make_watch_grid(text, work_of(pool, stop, threads_of_grid(*pool)), before.get());
      });
    // A snapshot that has to wait keeps the Watcher busy.
    waits_ = head_.of != text || grid_.of != text;
  }

 public:
  bool waits() const { return waits_; }

 private:
  std::function<void()> wake_;
  SharedPool pool_;
  Listening listening_;
  std::uint64_t version_ = 0;
  ShownWatch now_{{}, std::make_shared<const WatchedSnapshot>(), nullptr, nullptr, {}};
  bool is_new_ = false, waits_ = false;
  Slot<ShownWatchHead> head_;
  Slot<ShownWatchGrid> grid_;
  Slot<ShownWatchHead> held_head_;
  std::shared_ptr<const WatchHeld> held_;
  std::pair<std::int64_t, std::int64_t> asked_{-1, -1}, asked_held_{-1, -1};  // layer, head
  std::shared_ptr<Stepwise> reads_;
  Beside beside_;
  Worker reader_, head_worker_, grid_worker_;  // last: joined before the rest goes
};

Watcher::Watcher(std::function<void()> wake, const SharedPool& pool)
    : parts_(std::make_unique<Parts>(wake, pool)) {}
Watcher::~Watcher() = default;
void Watcher::follow(WatchState& state, bool is_shown) { parts_->follow(state, is_shown); }
void Watcher::look_beside(WatchState& state, bool is_shown, const std::vector<std::filesystem::path>& known,
                          const std::vector<ModelPlace>& found, const LayerResult* shown) {
  parts_->beside().offer(state, is_shown, known, found);
  parts_->beside().compare(state, shown);
}
bool Watcher::is_busy() const { return parts_->is_busy() || parts_->waits(); }
bool Watcher::finish() { return parts_->finish(); }

}  // namespace attnscope
