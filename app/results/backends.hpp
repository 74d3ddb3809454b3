// app/results: what the window knows of the machine's backends: which there are, what each took for the
// Document on screen, and how far apart their numbers are. Belongs to the interface's thread. A session does
// not keep which one computed: that is the machine's and not the Document's, and another machine may not have
// it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/results/choose_backend.hpp"
#include "core/base/worker.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/engine/parity.hpp"

namespace attnscope {

/// One Result beside another backend.
using ParityTask = Task<Parity, ParityProgress>;

class Backends {
 public:
  /// The first one is always there. `pool`: what they compute with.
  Backends(std::vector<BackendChoice> choices, SharedPool pool);

  const std::vector<BackendChoice>& choices() const { return choices_; }
  const SharedPool& pool() const { return pool_; }
  /// The choice with this backend, by its own name as a Result tells it; empty where none has it.
  std::optional<std::size_t> find(std::string_view backend) const;
  /// The backend that makes what is looked at of this result: BackendChoice::beside of the choice that
  /// computed it.
  std::shared_ptr<Backend> beside(const Result&) const;
  /// The next choice behind this one, in a circle, that this machine has; itself when it is alone.
  std::size_t next(std::size_t choice) const;
  bool is_alone() const { return next(0) == 0; }
  /// Why there is only one, as a sentence; empty where there are more.
  std::string why_alone() const;

  /// What its backend took is remembered, and what others took for another Document is forgotten.
  void note(const Result&);
  /// What the choice took for the Document on screen when it computed it last; null when it did not.
  const WholeTimes* times(std::size_t choice) const;
  /// The slowest time divided by the fastest; empty before two are known.
  std::optional<double> ratio() const;
  /// The same of the model on screen: what each took to run all of it, in milliseconds.
  void note(const ModelReading&);
  std::optional<double> model_time(std::size_t choice) const { return model_times_[choice]; }
  std::optional<double> model_ratio() const;

  /// Compares this result with what the next backend computes, unless that was begun already. Once a frame
  /// while the comparison is on screen.
  void compare(const ResultPtr&);
  /// Stops comparing; the same result is compared again only when it is asked for.
  void stop_comparing();
  void compare_again() { now_ = {}; }
  /// What is being compared or was; null before the first.
  const ParityTask* comparison() const { return now_.task.get(); }
  bool is_comparing() const { return now_.task && !now_.task->is_done(); }
  /// The last comparison that was done, perhaps of a result before; null before the first.
  const Parity* parity() const { return compared_.task ? compared_.task->result() : nullptr; }

 private:
  std::vector<BackendChoice> choices_;
  SharedPool pool_;
  Document document_;  // that the times are of
  std::vector<std::optional<WholeTimes>> times_;
  ModelContext within_;  // that these are of
  std::vector<std::optional<double>> model_times_;
  struct Comparing {
    ResultPtr of;
    std::shared_ptr<ParityTask> task;  // null: none
  };
  Comparing now_, compared_;
  Worker worker_;
};

}  // namespace attnscope
