// app/watch: the thread that finds the stream of a process and reads it, pass by pass.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "app/watch/watch_sight.hpp"

namespace attnscope {

class Listening {
 public:
  struct Wants {
    std::filesystem::path stream;  // empty: that of the newest process
    bool is_chosen = false;        // by a person: once it has ended only a stream that begins later follows
    std::uint64_t sends = WantsQueryKeyValue | WantsMasks;
    bool paused = false;
    bool operator==(const Wants&) const = default;
  };
  struct There {
    std::uint64_t version = 0;  // another one whenever one of the two is
    WatchConnection connection;
    WatchedSnapshotPtr text;
  };

  /// `tell` is called on the worker when there() is another one.
  explicit Listening(std::function<void()> tell) : tell_(std::move(tell)) {}

  // From any thread.
  void want(const Wants&);
  /// What there is, if it is another one than `version`.
  std::optional<There> there(std::uint64_t version) const;

  // On the worker's thread.
  /// Reads what came, and waits until more may have: a thirtieth of a second, or one where no process is
  /// there.
  bool step(const std::stop_token&);
  /// The process sends nothing until the next step.
  void rest();

 private:
  using Clock = std::chrono::steady_clock;
  Wants wants() const;
  void scan(const Wants&);
  void open(const std::filesystem::path&);
  void read(const Wants&);
  void leave();
  bool follows(const FoundStream&, const Wants&) const;
  bool is_live() const { return now_.state == WatchConnection::State::Live; }
  double rate() const;
  void publish();

  std::function<void()> tell_;
  mutable std::mutex mutex_;  // guards these two and wants_
  std::condition_variable_any changed_;
  There there_{0, {}, std::make_shared<const WatchedSnapshot>()};
  Wants wants_;

  // Of the worker's thread.
  std::optional<WatchStream> stream_;
  WatchedText text_;
  WatchConnection now_;
  Wants followed_;
  std::optional<Clock::time_point> scanned_, looked_, counted_;
  std::filesystem::path refused_;    // could not be opened: said once, not tried every second
  std::vector<FoundStream> beside_;  // that there were while the stream was live
  bool rested_ = false;
};

}  // namespace attnscope
