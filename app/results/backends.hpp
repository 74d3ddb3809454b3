// app/results: the window's knowledge of the machine's backends: which exist, how long each took for the
// Document on screen, and how far apart their numbers are. Belongs to the interface's thread. A session does
// not store which one computed: that belongs to the machine and not to the Document, and another machine may
// not have it.
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

/// Compares one Result with another backend.
using ParityTask = Task<Parity, ParityProgress>;

class Backends {
 public:
  /// The first one must have a backend. `pool`: the threads that they compute with.
  Backends(std::vector<BackendChoice> choices, SharedPool pool);

  const std::vector<BackendChoice>& choices() const { return choices_; }
  const SharedPool& pool() const { return pool_; }
  /// The choice whose backend has this name, which a Result stores; empty if there is none.
  std::optional<std::size_t> find(std::string_view backend) const;
  /// The backend for tiles and other details of this result: BackendChoice::beside of the choice that
  /// computed it.
  std::shared_ptr<Backend> beside(const Result&) const;
  /// The next choice after this one, cyclically, that this machine has; the same one if it is the only one.
  std::size_t next(std::size_t choice) const;
  bool is_alone() const { return next(0) == 0; }
  /// A sentence that tells why there is only one; empty if there are more.
  std::string why_alone() const;

  /// Stores how long the result's backend took, and forgets the times of other Documents.
  void note(const Result&);
  /// The time of the choice's last computation of the Document on screen; null if there was none.
  const WholeTimes* times(std::size_t choice) const;
  /// The slowest time divided by the fastest; empty before two are known.
  std::optional<double> ratio() const;
  /// The same for the model on screen: how long each took to run all of it, in milliseconds.
  void note(const ModelReading&);
  std::optional<double> model_time(std::size_t choice) const { return model_times_[choice]; }
  std::optional<double> model_ratio() const;

  /// Compares this result with the next backend's, unless that comparison has begun. Call once a frame while
  /// the comparison is on screen.
  void compare(const ResultPtr&);
  /// Stops comparing; the same result is compared again only when it is asked for.
  void stop_comparing();
  void compare_again() { now_ = {}; }
  /// The current or last comparison; null before the first.
  const ParityTask* comparison() const { return now_.task.get(); }
  bool is_comparing() const { return now_.task && !now_.task->is_done(); }
  /// The last finished comparison, perhaps of an earlier result; null before the first.
  const Parity* parity() const { return compared_.task ? compared_.task->result() : nullptr; }

 private:
  std::vector<BackendChoice> choices_;
  SharedPool pool_;
  Document document_;  // of the times
  std::vector<std::optional<WholeTimes>> times_;
  ModelContext within_;  // of the model's times
  std::vector<std::optional<double>> model_times_;
  struct Comparing {
    ResultPtr of;
    std::shared_ptr<ParityTask> task;  // null: none
  };
  Comparing now_, compared_;
  Worker worker_;
};

}  // namespace attnscope
