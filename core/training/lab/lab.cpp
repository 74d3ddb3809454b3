#include "core/training/lab/lab.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <utility>

#include "core/base/worker.hpp"
#include "core/training/files/export_model.hpp"
#include "core/training/files/training_run.hpp"
#include "core/training/lab/lab_shelf.hpp"

namespace attnscope::training {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int commands = 0, training = 1;         // lanes
constexpr std::chrono::milliseconds a_slice{20};  // what waits is done behind it

}  // namespace

class Lab::State {
 public:
  State(std::function<void()> wake, SharedPool pool) : wake_(std::move(wake)), pool_(std::move(pool)) {}

  void command(std::function<void()> what) {
    worker_.add(std::make_shared<Stepwise>(
                    [this, what = std::move(what)](const std::stop_token&) {
                      try {
                        what();
                      } catch (const std::exception& error) {
                        tell(error.what());
                      }
                      return false;
                    },
                    wake_),
                commands);
  }
  void train(std::int64_t steps) {
    worker_.replace(
        std::make_shared<Stepwise>(
            [this, left = steps](const std::stop_token& stop) mutable { return slice(left, stop); }, wake_),
        training);
  }
  void stop() { worker_.replace(nullptr, training); }

  void begin(const Recipe& recipe) {
    shelf_.keep(shown_lab());
    forget_runs();
    make_trainer(recipe);
    show_runs({first_run()}, 0);
  }

  std::uint64_t stand(LabStand wanted) {
    const std::uint64_t number = ++stands_;
    add_phases(number,
               {[this, number, wanted](const std::stop_token&) { return place_first(wanted, number); },
                [this, wanted](const std::stop_token& stop) { return train_to(wanted.steps, stop); },
                [this, wanted](const std::stop_token&) { return place_branch(wanted); },
                [this, wanted](const std::stop_token& stop) {
                  return wanted.branch && train_to(wanted.branch->steps, stop);
                }});
    return number;
  }

  std::uint64_t put_back(ShownLab wanted) {
    const std::uint64_t number = ++stands_;
    stop();
    command([this, number, wanted = std::move(wanted)] {
      shelf_.keep(shown_lab());
      if (wanted.recipe) place_again(wanted);
      reached(number);
    });
    return number;
  }

  void set_knobs(const Knobs& knobs) {
    if (!trainer_ || trainer_->knobs() == knobs) return;
    trainer_->set_knobs(knobs);
    LabRun run = active();
    run.knobs = knobs;
    if (!run.changes.empty() && run.changes.back().step == trainer_->step())
      run.changes.back().knobs = knobs;
    else
      run.changes.push_back({trainer_->step(), knobs});
    if (is_cut(run, knobs.operation)) measure_into(run);
    publish(std::move(run));
  }

  void turn_knobs(const std::function<void(Knobs&)>& turn) {
    if (!trainer_) return;
    Knobs knobs = trainer_->knobs();
    turn(knobs);
    set_knobs(knobs);
  }

  void branch(std::int64_t step) {
    if (!trainer_) return;
    const ShownLab now = shown_lab();
    const LabRun& parent = *now.run();
    if (std::ssize(now.runs) >= most_runs) return tell("There is no room for another branch: begin anew.");
    const LabMoment* const from = parent.kept_at(step);
    if (from == nullptr) return tell("No state of that step was kept.");
    latest_[static_cast<std::size_t>(now.active)] = trainer_->snapshot();
    trainer_->restore(*from->snapshot);
    LabRun next;
    next.number = static_cast<int>(now.runs.size());
    next.parent = parent.number;
    next.branch = next.step = from->step;
    next.knobs = trainer_->knobs();
    next.changes = {{from->step, next.knobs}};
    const auto is_inside = [&](std::int64_t at) { return at <= from->step; };
    for (const auto& point : parent.points)
      if (is_inside(point->metrics.step)) next.points.push_back(point);
    for (const auto& moment : parent.moments)
      if (is_inside(moment->step)) next.moments.push_back(moment);
    if (parent.goal && is_inside(*parent.goal)) next.goal = parent.goal;
    latest_.emplace_back();
    const std::lock_guard lock(mutex_);
    shown_.runs.push_back(std::make_shared<const LabRun>(std::move(next)));
    shown_.active = static_cast<int>(shown_.runs.size()) - 1;
    ++shown_.version;
  }

  void save(const std::filesystem::path& folder) {
    if (!trainer_) return;
    export_model(folder, *trainer_);
    const std::lock_guard lock(mutex_);
    shown_.saved = folder;
    ++shown_.saves;
    ++shown_.version;
  }

  void choose(int run) {
    const ShownLab now = shown_lab();
    if (!trainer_ || run == now.active || run < 0 || run >= std::ssize(now.runs)) return;
    latest_[static_cast<std::size_t>(now.active)] = trainer_->snapshot();
    trainer_->restore(latest_[static_cast<std::size_t>(run)]);
    const std::lock_guard lock(mutex_);
    shown_.active = run;
    ++shown_.version;
  }

  ShownLab shown_lab() const {
    const std::lock_guard lock(mutex_);
    return shown_;
  }
  Worker& worker() { return worker_; }

 private:
  using Phase = std::function<bool(const std::stop_token&)>;  // true: it goes on

  /// One behind the other, then that number counts as reached. An error is told and ends it.
  void add_phases(std::uint64_t number, std::vector<Phase> phases) {
    worker_.replace(std::make_shared<Stepwise>(
                        [this, number, phases = std::move(phases),
                         at = std::size_t{0}](const std::stop_token& stop) mutable {
                          try {
                            if (phases[at](stop) || ++at < phases.size()) return true;
                          } catch (const std::exception& error) {
                            tell(error.what());
                          }
                          reached(number);
                          return false;
                        },
                        wake_),
                    training);
  }

  void reached(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    shown_.stand = std::max(shown_.stand, number);
    shown_.stood = std::max(shown_.stood, number);
    ++shown_.version;
  }

  void forget_runs() {
    latest_.clear();
    const std::lock_guard lock(mutex_);
    ShownLab empty;
    empty.version = shown_.version + 1;
    empty.saved = shown_.saved;
    empty.saves = shown_.saves;
    empty.stand = shown_.stand;
    empty.stood = shown_.stood;
    shown_ = empty;
  }
  void make_trainer(const Recipe& recipe) {
    trainer_.reset();
    trainer_ = std::make_unique<Trainer>(recipe, pool_);
  }
  LabRunPtr first_run() {
    LabRun first;
    first.knobs = trainer_->knobs();
    first.changes = {{0, first.knobs}};
    measure_into(first);
    return std::make_shared<const LabRun>(std::move(first));
  }
  /// Of the trainer's recipe; `stand`: what they are of, 0 = of none.
  void show_runs(std::vector<LabRunPtr> runs, int active, std::uint64_t stand = 0) {
    latest_.resize(runs.size());
    const std::lock_guard lock(mutex_);
    shown_.recipe = std::make_shared<const Recipe>(trainer_->recipe());
    shown_.task = &trainer_->task();
    shown_.floor = trainer_->floor();
    shown_.log_head = log_header(*trainer_);
    shown_.tokens = probe_tokens(*trainer_);
    shown_.weights = trainer_->weight_count();
    shown_.problem.clear();
    shown_.runs = std::move(runs);
    shown_.active = active;
    shown_.stand = std::max(shown_.stand, stand);
    ++shown_.version;
  }

  /// The weights as the run left them: from its last kept state on it is trained once more.
  void go_to_end(const LabRun& run) {
    const LabMoment* const from = run.kept_at(run.step);
    if (from == nullptr) throw Error("No state of this run was kept.");
    trainer_->restore(*from->snapshot);
    const auto train_on = [this](std::int64_t to) {
      trainer_->train(static_cast<int>(to - trainer_->step()));
    };
    for (const LabChange& change : run.changes) {
      if (change.step < from->step) continue;
      train_on(change.step);
      trainer_->set_knobs(change.knobs);
    }
    train_on(run.step);
  }

  bool place_first(const LabStand& wanted, std::uint64_t number) {
    const ShownLab before = shown_lab();
    shelf_.keep(before);
    const Recipe recipe = prepared(wanted.recipe);
    LabRunPtr run = shelf_.first_run(recipe, wanted.steps);
    if (!trainer_ || !(trainer_->recipe() == recipe)) {
      forget_runs();
      make_trainer(recipe);
    } else if (!run) {  // its first run was never one that is kept
      make_trainer(recipe);
    }
    if (run)
      go_to_end(*run);
    else
      run = first_run();
    show_runs({run}, 0, number);
    return false;
  }
  bool place_branch(const LabStand& wanted) {
    if (!wanted.branch) return false;
    const LabRunPtr kept = shelf_.branch(trainer_->recipe(), *wanted.branch);
    if (!kept) {
      branch(wanted.branch->at);
      set_knobs(wanted.branch->knobs);
      return false;
    }
    const Snapshot first = trainer_->snapshot();
    go_to_end(*kept);
    show_runs({shown_lab().runs.front(), kept}, 1);
    latest_.front() = first;
    return false;
  }
  void place_again(const ShownLab& wanted) {
    if (!trainer_ || !(trainer_->recipe() == *wanted.recipe)) make_trainer(*wanted.recipe);
    forget_runs();
    std::vector<Snapshot> ends;
    for (const LabRunPtr& run : wanted.runs) {
      go_to_end(*run);
      ends.push_back(trainer_->snapshot());
    }
    show_runs(wanted.runs, wanted.active);
    trainer_->restore(ends[static_cast<std::size_t>(wanted.active)]);
    latest_ = std::move(ends);
  }
  bool train_to(std::int64_t step, const std::stop_token& stop) {
    std::int64_t left = step - trainer_->step();
    return slice(left, stop);
  }

  LabRun active() const {
    const std::lock_guard lock(mutex_);
    return *shown_.runs[static_cast<std::size_t>(shown_.active)];
  }
  void publish(LabRun run) {
    {
      const std::lock_guard lock(mutex_);
      shown_.runs[static_cast<std::size_t>(shown_.active)] = std::make_shared<const LabRun>(std::move(run));
      ++shown_.version;
    }
    if (wake_) wake_();
  }
  void tell(std::string problem) {
    const std::lock_guard lock(mutex_);
    shown_.problem = std::move(problem);
    ++shown_.version;
  }

  /// Some steps, up to the next one that is measured; false when there are no more.
  bool slice(std::int64_t& left, const std::stop_token& stop) {
    if (!trainer_ || left <= 0 || trainer_->is_at_end()) return false;
    const auto begin = Clock::now();
    const std::int64_t every = std::max(1, trainer_->recipe().measure_every);
    bool is_due = false;
    try {
      do {
        trainer_->train(1);
        --left;
        is_due = trainer_->step() % every == 0 || trainer_->is_at_end();
      } while (left > 0 && !is_due && !stop.stop_requested() && Clock::now() - begin < a_slice);
      LabRun run = active();
      run.step = trainer_->step();
      run.is_at_end = trainer_->is_at_end();
      if (is_due) measure_into(run);
      publish(std::move(run));
    } catch (const std::exception& error) {
      tell(error.what());
      return false;
    }
    return left > 0 && !trainer_->is_at_end();
  }

  void measure_into(LabRun& run) {
    LabPoint point = lab_point(*trainer_, true);
    if (!run.goal && trainer_->reaches_goal(point.metrics)) run.goal = point.metrics.step;
    LabMoment moment;
    moment.step = trainer_->step();
    moment.probe = trainer_->probe_measured(0);
    moment.snapshot = std::make_shared<const Snapshot>(trainer_->snapshot());
    run.points.push_back(std::make_shared<const LabPoint>(std::move(point)));
    run.moments.push_back(std::make_shared<const LabMoment>(std::move(moment)));
    thin_out(run, 3 * sizeof(float) * static_cast<std::size_t>(trainer_->weight_count()), most_kept_bytes);
  }

  std::function<void()> wake_;
  SharedPool pool_;
  // Of the lab's thread.
  std::unique_ptr<Trainer> trainer_;
  std::vector<Snapshot> latest_;  // of the runs that are not active
  LabShelf shelf_;
  std::uint64_t stands_ = 0;  // that were asked for; of who asks

  mutable std::mutex mutex_;
  ShownLab shown_;
  Worker worker_;  // last: it is joined before the rest goes
};

std::string log_of(const ShownLab& shown, const LabRun& run) {
  std::string text = shown.log_head + "\n";
  for (const auto& point : run.points) text += log_line(point->metrics) + "\n";
  return text;
}

Lab::Lab(std::function<void()> wake, SharedPool pool)
    : state_(std::make_unique<State>(std::move(wake), std::move(pool))) {}
Lab::~Lab() = default;

void Lab::begin(const Recipe& recipe) {
  state_->stop();
  state_->command([state = state_.get(), recipe] { state->begin(recipe); });
}
void Lab::train(std::int64_t steps) { state_->train(steps); }
void Lab::train_on() { state_->train(std::numeric_limits<std::int64_t>::max()); }
void Lab::stop() { state_->stop(); }
void Lab::set_knobs(const Knobs& knobs) {
  state_->command([state = state_.get(), knobs] { state->set_knobs(knobs); });
}
void Lab::turn_knobs(std::function<void(Knobs&)> turn) {
  state_->command([state = state_.get(), turn = std::move(turn)] { state->turn_knobs(turn); });
}
void Lab::branch(std::int64_t step) {
  state_->stop();
  state_->command([state = state_.get(), step] { state->branch(step); });
}
void Lab::save(const std::filesystem::path& folder) {
  state_->command([state = state_.get(), folder] { state->save(folder); });
}
std::uint64_t Lab::stand(const LabStand& wanted) { return state_->stand(wanted); }
std::uint64_t Lab::put_back(const ShownLab& wanted) { return state_->put_back(wanted); }
void Lab::choose(int run) {
  state_->stop();
  state_->command([state = state_.get(), run] { state->choose(run); });
}
ShownLab Lab::shown_lab() const { return state_->shown_lab(); }
bool Lab::is_training() const { return state_->worker().is_busy(training); }
bool Lab::is_busy() const { return is_training() || state_->worker().is_busy(commands); }
void Lab::wait() const {
  state_->worker().wait(commands);
  state_->worker().wait(training);
}

}  // namespace attnscope::training
