// core/engine: the members of Engine, for the files that instantiate it.
#pragma once

#include <algorithm>
#include <atomic>
#include <ranges>
#include <utility>

#include "core/base/error.hpp"
#include "core/engine/engine.hpp"

namespace attnscope {

/// The Job that computes one question.
template <class Question, class Answer>
class Engine<Question, Answer>::Run final : public Job {
 public:
  Run(Engine& engine, LaneState& lane, std::uint64_t ticket, Question question)
      : asked{ticket, std::move(question), stop_token()}, lane(lane), engine_(engine) {}

  bool step() override {
    const bool has_more = engine_.step(*this);
    if (has_more && is_untold) tell();
    return has_more;
  }
  void finished() override {
    // The engine is idle now, so busy() is false for the code that this wakes.
    if (is_published) tell();
  }

  typename Computes::Asked asked;  // used by the worker's thread only, but for its question
  LaneState& lane;
  std::atomic<bool> is_cancelled{false};  // by the user, not by a newer question
  std::atomic<bool> is_published{false};  // an answer was published
  bool is_untold = false;                 // and on_publish_ not called since; worker's thread only

 private:
  void tell() {
    is_untold = false;
    if (engine_.on_publish_) engine_.on_publish_();
  }
  Engine& engine_;
};

template <class Question, class Answer>
Engine<Question, Answer>::Engine(const std::vector<std::shared_ptr<Computes>>& lanes,
                                 std::function<void()> on_publish, EnginePatience patience)
    : on_publish_(std::move(on_publish)), patience_(patience) {
  for (const std::shared_ptr<Computes>& computes : lanes)
    lanes_.push_back({computes, 1 + static_cast<int>(lanes_.size())});
}

template <class Question, class Answer>
std::uint64_t Engine<Question, Answer>::submit_now(Question question, LaneState& to, bool at_once) {
  at_once = at_once || (to.newest && to.newest->is_published);
  to.newest = std::make_shared<Run>(*this, to, next_ticket_++, std::move(question));
  worker_.replace(to.newest, to.at_worker, at_once ? patience_.after_first : patience_.before_first);
  return to.newest->asked.ticket;
}

template <class Question, class Answer>
std::uint64_t Engine<Question, Answer>::submit(Question question, Lane lane) {
  const std::lock_guard order(submitting_);
  return submit_now(std::move(question), state(lane));
}

template <class Question, class Answer>
void Engine<Question, Answer>::submit_another(Question question, Lane lane) {
  const std::lock_guard order(submitting_);
  LaneState& to = state(lane);
  if (to.newest && !to.newest->is_cancelled && to.newest->asked.question == question) return;
  submit_now(std::move(question), to);
}

template <class Question, class Answer>
std::uint64_t Engine<Question, Answer>::submit_again() {
  const std::lock_guard order(submitting_);
  const auto again = [this](LaneState& lane) {
    return submit_now(Question(lane.newest->asked.question), lane, true);
  };
  for (LaneState& lane : lanes_ | std::views::drop(1))
    if (lane.newest && worker_.is_busy(lane.at_worker)) again(lane);
  return lanes_.front().newest ? again(lanes_.front()) : 0;
}

template <class Question, class Answer>
void Engine<Question, Answer>::forget(Lane lane) {
  struct Forgotten {
    std::shared_ptr<Run> newest;
    AnswerPtr latest, good;
  };
  const auto gone = std::make_shared<Forgotten>();
  const std::lock_guard order(submitting_);
  LaneState& of = state(lane);
  worker_.replace(nullptr, of.at_worker);
  gone->newest.swap(of.newest);
  {
    const std::lock_guard lock(mutex_);
    of.forgotten = next_ticket_ - 1;
    gone->latest.swap(of.latest);
    gone->good.swap(of.latest_good);
  }
  // Before the lane's next question, which is submitted after this.
  worker_.add(make_errand([gone, computes = of.computes] {
                computes->forget();
                *gone = {};
              }),
              memory_lane);
}

template <class Question, class Answer>
void Engine<Question, Answer>::cancel() {
  const std::lock_guard order(submitting_);
  for (const LaneState& lane : lanes_) {
    if (!lane.newest) continue;
    lane.newest->is_cancelled = true;
    worker_.cancel(lane.at_worker);
  }
}

template <class Question, class Answer>
bool Engine<Question, Answer>::step(Run& run) {
  Computes& computes = *run.lane.computes;
  typename Computes::Made made;
  AnswerPtr before;
  if (!run.asked.known) {
    const std::lock_guard lock(mutex_);
    before = run.lane.latest_good;
  }
  try {
    if (run.asked.stop.stop_requested()) throw Cancelled();
    made = run.asked.known ? computes.next(run.asked) : computes.first(run.asked, before);
  } catch (const Cancelled&) {
    if (run.is_cancelled) made.answer = computes.stopped(run.asked);
  } catch (...) {
    made.answer = computes.failed(run.asked, computes.failures.of_exception());
  }
  if (made.answer) publish(run, made.answer);
  if (made.has_more) return true;
  run.asked.known.reset();
  computes.ended();
  return false;
}

template <class Question, class Answer>
void Engine<Question, Answer>::publish(Run& run, const AnswerPtr& answer) {
  AnswerPtr known, latest, good;  // the previous answers, destroyed without the lock: they may be large
  const std::lock_guard lock(mutex_);
  if (run.asked.ticket <= run.lane.forgotten) return;
  run.is_published = run.is_untold = true;
  run.asked.published = Computes::Clock::now();
  known = std::exchange(run.asked.known, answer);
  latest = std::exchange(run.lane.latest, answer);
  if (answer->error.empty()) good = std::exchange(run.lane.latest_good, answer);
}

}  // namespace attnscope
