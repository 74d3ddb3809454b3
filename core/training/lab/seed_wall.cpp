#include "core/training/lab/seed_wall.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <utility>

#include "core/base/worker.hpp"

namespace attnscope::training {
namespace {

constexpr std::chrono::milliseconds wall_slice{20};

}  // namespace

std::size_t ShownWall::done() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(runs, [](const auto& run) { return !run->jobs.empty(); }));
}

JobCount count_job(const ShownWall& wall, int score) {
  JobCount count;
  for (const auto& run : wall.runs) {
    const auto has_it = [score](const HeadJob& job) { return job.score == score; };
    const auto heads = std::ranges::count_if(run->jobs, has_it);
    count.runs += heads > 0 ? 1 : 0;
    count.several += heads > 1 ? 1 : 0;
    count.needed +=
        std::ranges::any_of(run->jobs,
                            [&](const HeadJob& job) { return has_it(job) && job.need == Need::Needed; })
            ? 1
            : 0;
  }
  return count;
}

WorkCount count_work(const ShownWall& wall) {
  WorkCount count;
  for (const auto& run : wall.runs) {
    std::vector<int> scores;
    bool all_needed = true;
    for (const HeadJob& job : run->jobs) {
      if (job.score < 0) continue;
      scores.push_back(job.score);
      all_needed = all_needed && job.need == Need::Needed;
    }
    std::ranges::sort(scores);
    const bool repeats = std::ranges::adjacent_find(scores) != scores.end();
    count.redundant += repeats ? 1 : 0;
    count.divided += !repeats && all_needed && scores.size() > 1 ? 1 : 0;
  }
  return count;
}

class SeedWall::State {
 public:
  State(std::function<void()> wake, SharedPool pool) : wake_(std::move(wake)), pool_(std::move(pool)) {}

  void begin(const Recipe& recipe, std::size_t count) {
    Wanted wanted{recipe, 0, count, 0};
    {
      const std::lock_guard lock(mutex_);
      ShownWall next;
      next.recipe = std::make_shared<const Recipe>(recipe);
      if (shown_.recipe && *shown_.recipe == recipe) next.runs = finished(shown_.runs, count);
      next.count = count;
      next.version = shown_.version + 1;
      wanted.first = next.runs.size();
      wanted.ticket = ++ticket_;
      shown_ = next;
    }
    worker_.replace(std::make_shared<Stepwise>(
        [this, wanted](const std::stop_token&) { return next(wanted); }, wake_, Stepwise::Tells::EachStep));
  }
  void stop() {
    worker_.replace(nullptr);
    const std::lock_guard lock(mutex_);
    shown_.stopped = true;
    ++shown_.version;
  }
  ShownWall shown_wall() const {
    const std::lock_guard lock(mutex_);
    return shown_;
  }
  Worker& worker() { return worker_; }

 private:
  struct Wanted {
    Recipe recipe;
    std::size_t first = 0, count = 0;  // runs [first, count)
    std::uint64_t ticket = 0;
  };

  /// Those that need not be run again.
  static std::vector<std::shared_ptr<const WallRun>> finished(
      std::vector<std::shared_ptr<const WallRun>> runs, std::size_t most) {
    const auto unfinished = std::ranges::find_if(runs, [](const auto& run) { return run->jobs.empty(); });
    runs.erase(unfinished, runs.end());
    runs.resize(std::min(runs.size(), most));
    return runs;
  }

  /// A slice of the run that trains; false when all are done.
  bool next(const Wanted& wanted) {
    try {
      if (trained_ != wanted.ticket) {
        trained_ = wanted.ticket;
        trainer_.reset();
        number_ = wanted.first;
      }
      if (number_ >= wanted.count) return false;
      if (!trainer_) start(wanted.recipe);
      train();
      if (!is_over()) return true;
      end();
      return ++number_ < wanted.count;
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      shown_.problem = error.what();
      ++shown_.version;
      return false;
    }
  }

  void start(Recipe recipe) {
    recipe.seed += number_;
    trainer_ = std::make_unique<Trainer>(recipe, pool_);
    run_ = {};
    run_.seed = recipe.seed;
    measure();
  }
  void train() {
    const auto begin = std::chrono::steady_clock::now();
    const std::int64_t every = std::max(1, trainer_->recipe().measure_every);
    while (!is_over() && std::chrono::steady_clock::now() - begin < wall_slice) {
      trainer_->train(1);
      if (trainer_->step() % every == 0 || trainer_->is_at_end()) measure();
    }
    publish();
  }
  bool is_over() const { return trainer_->is_at_end() || (trainer_->recipe().stops_at_goal && run_.goal); }

  void measure() {
    const Metrics metrics = trainer_->measure();
    const auto goal = static_cast<std::size_t>(trainer_->task().goal_group);
    run_.curve.push_back({metrics.step, metrics.groups[goal].accuracy});
    if (!run_.goal && trainer_->reaches_goal(metrics)) run_.goal = metrics.step;
  }
  void end() {
    const LabPoint point = lab_point(*trainer_, false, std::numeric_limits<std::size_t>::max());
    for (std::size_t head = 0; head < point.metrics.entropy.size(); ++head)
      run_.jobs.push_back(job_of_head(trainer_->task(), point, head));
    publish();
    trainer_.reset();
  }
  void publish() {
    const std::lock_guard lock(mutex_);
    if (trained_ != ticket_) return;  // another wall stands there by now
    shown_.runs.resize(std::max(shown_.runs.size(), number_ + 1));
    shown_.runs[number_] = std::make_shared<const WallRun>(run_);
    ++shown_.version;
  }

  std::function<void()> wake_;
  SharedPool pool_;
  // Of the wall's thread.
  std::unique_ptr<Trainer> trainer_;
  WallRun run_;
  std::size_t number_ = 0;
  std::uint64_t trained_ = 0;

  mutable std::mutex mutex_;
  ShownWall shown_;
  std::uint64_t ticket_ = 0;  // of the wall that was begun last
  Worker worker_;             // last: it is joined before the rest goes
};

SeedWall::SeedWall(std::function<void()> wake, SharedPool pool)
    : state_(std::make_unique<State>(std::move(wake), std::move(pool))) {}
SeedWall::~SeedWall() = default;
void SeedWall::begin(const Recipe& recipe, std::size_t count) { state_->begin(recipe, count); }
void SeedWall::stop() { state_->stop(); }
ShownWall SeedWall::shown_wall() const { return state_->shown_wall(); }
bool SeedWall::is_busy() const { return state_->worker().is_busy(); }
void SeedWall::wait() const { state_->worker().wait(); }

}  // namespace attnscope::training
