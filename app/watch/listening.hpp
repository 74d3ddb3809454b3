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

#include "app/watch/shown_watch.hpp"

namespace attnscope {

class Listening {
 public:
  struct Wants {
    std::filesystem::path stream;  // empty: that of the newest process
    bool is_chosen = false;        // by the user: after its end only a stream that begins later is followed
    std::uint64_t sends = WantsQueryKeyValue | WantsMasks;
    bool paused = false;
    bool operator==(const Wants&) const = default;
  };
  struct There {
    std::uint64_t version = 0;  // changes whenever one of the two does
    WatchConnection connection;
    WatchedSnapshotPtr text;
  };

  /// `tell` is called on the worker's thread when there() has changed.
  explicit Listening(std::function<void()> tell) : tell_(std::move(tell)) {}

  // From any thread.
  void want(const Wants&);
  /// The newest state, if its version is not `version`.
  std::optional<There> there(std::uint64_t version) const;

  // On the worker's thread.
  /// Reads what was sent, then waits: a thirtieth of a second, or a second if no process is there; less if
  /// the wants change.
  bool step(const std::stop_token&);
  /// Tells the process to send nothing until the next step().
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
  mutable std::mutex mutex_;  // guards these members and wants_
  std::condition_variable_any changed_;
  There there_{0, {}, std::make_shared<const WatchedSnapshot>()};
  Wants wants_;

  // Used on the worker's thread alone.
  std::optional<WatchStream> stream_;
  WatchedText text_;
  WatchConnection now_;
  Wants followed_;
  std::optional<Clock::time_point> scanned_, looked_, counted_;
  std::filesystem::path refused_;    // could not be opened: reported once, not tried again every second
  std::vector<FoundStream> beside_;  // streams that existed while this one was live
  bool rested_ = false;
};

}  // namespace attnscope
