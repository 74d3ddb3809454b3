#include "app/watch/listening.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>

namespace attnscope {
namespace {

using namespace std::chrono_literals;

constexpr auto poll_every = 33ms, scan_every = 1000ms, look_every = 250ms, count_every = 1000ms;
constexpr double rate_seconds = 3;
constexpr std::uint64_t most_waiting_bytes = std::uint64_t{64} << 20;  // of records that are read at once

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_due(const std::optional<std::chrono::steady_clock::time_point>& last,
            std::chrono::milliseconds every) {
  return !last || std::chrono::steady_clock::now() - *last >= every;
}

bool alike(const WatchConnection& a, const WatchConnection& b) {
  return a.state == b.state && a.end == b.end && a.path == b.path && a.trouble == b.trouble &&
         a.rate == b.rate && a.all == b.all && a.counts.dropped == b.counts.dropped &&
         a.counts.waiting == b.counts.waiting && a.counts.too_large == b.counts.too_large;
}

}  // namespace

void Listening::want(const Wants& wants) {
  {
    const std::scoped_lock lock(mutex_);
    if (wants_ == wants) return;
    wants_ = wants;
  }
  changed_.notify_all();
}

Listening::Wants Listening::wants() const {
  const std::scoped_lock lock(mutex_);
  return wants_;
}

std::optional<Listening::There> Listening::there(std::uint64_t version) const {
  const std::scoped_lock lock(mutex_);
  return there_.version == version ? std::nullopt : std::optional(there_);
}

bool Listening::step(const std::stop_token& stop) {
  const Wants now = wants();
  if (std::exchange(rested_, false)) {
    scanned_.reset();
    if (stream_ && is_live()) stream_->ask_for_whole();
  }
  if (now.stream != followed_.stream) scanned_.reset(), refused_.clear();
  if (is_due(scanned_, scan_every)) scan(now);
  if (stream_) read(now);
  if (stream_ && is_live() && !now.paused && stream_->is_closed()) leave();
  followed_ = now;
  publish();
  const auto pause = stream_ && is_live() ? std::chrono::milliseconds(poll_every) : scan_every;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, pause, [&] { return !(wants_ == followed_); });
  return !stop.stop_requested();
}

void Listening::rest() {
  if (stream_ && is_live()) stream_->stop_looking();
  looked_.reset();
  rested_ = true;
}

/// Whether the stream may be read now that the previous one has ended, or if there was none.
bool Listening::follows(const FoundStream& found, const Wants& wants) const {
  if (!found.alive || found.closed || found.path == now_.path || found.path == refused_) return false;
  const bool was_chosen = wants.is_chosen && wants.stream == now_.path;
  const auto is_it = [&](const FoundStream& other) { return other.path == found.path; };
  return !was_chosen || std::ranges::none_of(beside_, is_it);
}

/// Opens the stream that was asked for; without one, or after it has ended, that of the newest process.
void Listening::scan(const Wants& wants) {
  scanned_ = Clock::now();
  try {
    now_.all = find_streams();
    if (!stream_ && refused_.empty()) now_.trouble.clear();
    if (stream_ && is_live()) {
      if (stream_->is_closed() || !stream_->process().is_alive()) {
        if (!wants.paused) read(wants);  // reads what was already sent
        leave();
      } else {
        beside_ = now_.all;
      }
    } else if (stream_) {
      leave();  // its process may end later than its watch
    }
    const bool is_shown = is_live() && wants.stream == now_.path;
    if (!wants.stream.empty() && wants.stream != followed_.stream && !is_shown) return open(wants.stream);
    if (stream_ && (is_live() || wants.paused)) return;
    for (const FoundStream& found : now_.all)
      if (follows(found, wants)) return open(found.path);
    const bool has_dead = std::ranges::any_of(now_.all, [](const FoundStream& f) { return !f.alive; });
    if (has_dead) remove_dead_streams(std::array{now_.path});
  } catch (const std::exception& error) {
    now_.trouble = error.what();
  }
}

void Listening::open(const std::filesystem::path& path) {
  refused_ = path;
  WatchStream opened(path);
  refused_.clear();
  stream_.emplace(std::move(opened));
  text_ = WatchedText();
  const std::vector<FoundStream> all = std::move(now_.all);
  now_ = {.state = WatchConnection::State::Live,
          .path = path,
          .facts = stream_->facts(),
          .process = stream_->process(),
          .all = all};
  beside_ = all;
  looked_.reset();
}

void Listening::read(const Wants& wants) {
  try {
    const bool asks_else = wants.sends != followed_.sends;
    if (is_live() && (asks_else || is_due(looked_, look_every))) {
      stream_->look(wants.sends);
      looked_ = Clock::now();
    }
    for (std::uint64_t taken = 0; !wants.paused && taken < most_waiting_bytes;) {
      const std::uint64_t before = stream_->counts().bytes;
      std::vector<WatchRecord> records = stream_->poll();
      if (records.empty()) break;
      taken += stream_->counts().bytes - before;
      text_.take(std::move(records), seconds_now());
      if (text_.needs_whole() && is_live()) stream_->ask_for_whole();
      now_.trouble.clear();
    }
    if (is_due(counted_, count_every) || !wants.paused) {
      now_.counts = stream_->counts();
      if (is_due(counted_, count_every)) now_.rate = rate(), counted_ = Clock::now();
    }
  } catch (const std::exception& error) {
    now_.counts = stream_->counts();
    now_.trouble = error.what();
  }
}

/// Marks the stream as ended; what was read stays.
void Listening::leave() {
  now_.state = WatchConnection::State::Ended;
  now_.end = watch_end(stream_->is_closed(), stream_->process().is_alive());
  now_.rate = 0;
}

double Listening::rate() const {
  const std::vector<WatchedPass>& passes = text_.snapshot()->passes;
  const double from = seconds_now() - rate_seconds;
  const auto recent =
      std::ranges::count_if(passes, [&](const WatchedPass& pass) { return pass.seconds >= from; });
  return static_cast<double>(recent) / rate_seconds;
}

void Listening::publish() {
  {
    const std::scoped_lock lock(mutex_);
    const WatchedSnapshotPtr text = text_.snapshot();
    if (there_.version > 0 && there_.text == text && alike(there_.connection, now_)) return;
    there_ = {there_.version + 1, now_, text};
  }
  if (tell_) tell_();
}

}  // namespace attnscope
