// app/training: what the pictures of a run need and its measurements do not hold, computed by a worker from
// the states that the run keeps: what the heads do on a short sequence with a label for each token, and
// samples of the task. Nothing of it changes what is trained.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "app/training/probe_text.hpp"
#include "core/base/worker.hpp"
#include "core/training/lab/lab.hpp"

namespace attnscope {

/// Call it on the interface's thread alone.
class LabProbes {
 public:
  /// `wake` is called on the worker's thread when there is something new to show. pool: of its trainer.
  LabProbes(std::function<void()> wake, SharedPool pool) : wake_(std::move(wake)), pool_(std::move(pool)) {}

  /// Once a frame: takes what was computed, and asks for what these runs have new.
  void follow(const training::ShownLab&);
  /// Takes what was computed and asks for nothing: the runs are not on screen.
  void rest();

  /// Of the recipe that was followed last; null: not known yet.
  const ProbeFacts* facts() const;
  /// The run's heads at that step or before: on the task's own short sequence where it has one, else, and
  /// before the first of these is computed, as they were measured. Null: nothing was measured.
  std::shared_ptr<const training::LabMoment> moment_at(const training::LabRun&, std::int64_t step) const;
  /// The sequence that these weights are of; null: it is not known yet.
  const ProbeText* text_of(const training::LabMoment&) const;

  bool is_settled() const;
  void wait() const { worker_.wait(); }

 private:
  using Place = std::pair<int, std::int64_t>;  // run and step
  struct Probed {
    std::weak_ptr<const training::Snapshot> of;
    std::shared_ptr<const training::LabMoment> moment;
  };
  struct Found {
    std::shared_ptr<const training::Recipe> recipe;
    std::shared_ptr<const ProbeFacts> facts;
    std::map<Place, Probed> moments;
    std::uint64_t version = 0;
  };
  struct Item {
    Place place;
    std::shared_ptr<const training::Snapshot> snapshot;
  };
  struct Wanted {
    std::shared_ptr<const training::Recipe> recipe;
    std::vector<Item> items;
  };

  void take();
  bool has_facts() const { return taken_.recipe == recipe_ && taken_.facts != nullptr; }
  std::vector<Item> missing(const training::ShownLab&) const;
  // On the worker's thread.
  void find(const Wanted&, const std::stop_token&);
  void publish(const Wanted&, const std::function<void(Found&)>&);

  std::function<void()> wake_;
  SharedPool pool_;
  std::shared_ptr<const training::Recipe> recipe_;  // followed last
  Found taken_;
  // Of the worker's thread.
  std::unique_ptr<training::Trainer> trainer_;
  std::shared_ptr<const ProbeFacts> facts_;  // of the trainer

  mutable std::mutex mutex_;
  Found found_;
  Worker worker_;  // last: it is joined before the rest goes
};

}  // namespace attnscope
