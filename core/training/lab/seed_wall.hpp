// core/training/lab: the same recipe with many seeds, one after the other in the background: how sure a
// result is, and which head takes which job.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/training/lab/lab_run.hpp"

namespace attnscope::training {

struct WallRun {
  std::uint64_t seed = 0;
  struct At {
    std::int64_t step = 0;
    double accuracy = 0;  // of the goal's group
  };
  std::vector<At> curve;
  std::optional<std::int64_t> goal;  // the step that reached it
  std::vector<HeadJob> jobs;         // [layers · heads], at its end; empty: not known yet
};

struct ShownWall {
  std::shared_ptr<const Recipe> recipe;  // null: no wall was begun
  std::vector<std::shared_ptr<const WallRun>> runs;
  std::size_t count = 0;  // that were asked for
  bool stopped = false;   // before all were done
  std::uint64_t version = 0;
  std::string problem;

  std::size_t done() const;
};

/// Of the finished runs, how many have a head with that score, more than one, and one that is needed for it.
struct JobCount {
  std::size_t runs = 0, several = 0, needed = 0;
  bool operator==(const JobCount&) const = default;
};
JobCount count_job(const ShownWall&, int score);

/// Of the finished runs, those in which two heads or more have one score: what muting one of them alone costs
/// tells nothing of the score. And those in which two heads or more have a score each, no two the same, all
/// of them needed: only there is the work divided.
struct WorkCount {
  std::size_t redundant = 0, divided = 0;
  bool operator==(const WorkCount&) const = default;
};
WorkCount count_work(const ShownWall&);

class SeedWall {
 public:
  explicit SeedWall(std::function<void()> wake = {}, SharedPool pool = {});
  ~SeedWall();
  SeedWall(const SeedWall&) = delete;
  SeedWall& operator=(const SeedWall&) = delete;

  /// Seeds from the recipe's own on; in place of what runs. Each trains to the recipe's end, or its goal
  /// where it stops there. Runs of the same recipe that are done already stay as they are: their bits would
  /// be the same again.
  void begin(const Recipe&, std::size_t count);
  void stop();
  ShownWall shown_wall() const;
  bool is_busy() const;
  void wait() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace attnscope::training
