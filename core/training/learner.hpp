// core/training: weights that learn: a step forward and back over a batch, and AdamW.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/training/batch.hpp"
#include "core/training/network/pass.hpp"
#include "core/training/tasks/recipe.hpp"

namespace attnscope::training {

/// What a step left behind besides other weights.
struct StepResult {
  double loss = 0;           // of the batch, before the step: means over the rows of each read-out, summed
  double gradient_norm = 0;  // before clipping
};

/// Not for two threads at a time. The same bits for any number of threads. Nothing is allocated once it is
/// made.
template <class T>
class Learner {
 public:
  Learner(const Recipe&, const Kernels<T>&, SharedPool pool);

  StepResult step(const Batch&, const Operation&, double rate);
  /// Calls fn(chunk, pass, worker) for every chunk of a batch behind its forward, on any of the threads; with
  /// no two calls for one worker at a time.
  void forward(const Batch&, const Operation&, const std::function<void(int, Pass<T>&, int)>& fn);
  int workers() const { return static_cast<int>(passes_.size()); }
  /// Forward and back without a step, over a batch of the recipe's size at most: leaves the gradient of its
  /// loss in gradient(). score_norms: null, or as Pass::backward() has them for one chunk behind the other.
  StepResult differentiate(const Batch&, const Operation&, T* score_norms = nullptr);

  const Network<T>& network() const { return network_; }
  int sequences_of_chunk() const { return of_chunk_; }
  /// Behind a step or a change of weights(), before a Pass outside this class uses weights_now().
  void refresh() { transpose(); }
  WeightsOf<T> weights_now() const { return {weights_.data(), transposed_.data()}; }
  Buffer<T>& weights() { return weights_; }
  Buffer<T>& mean() { return mean_; }
  Buffer<T>& square() { return square_; }
  /// Of the last step, as it was before clipping.
  const Buffer<T>& gradient() const { return gradient_; }
  /// Steps that the averages have seen.
  std::int64_t updates() const { return updates_; }
  void set_updates(std::int64_t updates) { updates_ = updates; }
  const Kernels<T>& kernels() const { return kernels_; }

 private:
  template <class Fn>
  void each_chunk(int chunks, double flop, Fn fn);
  void transpose();
  double sum_gradients(int chunks);
  void update(double factor, double rate);

  OptimiserSettings settings_;
  const Kernels<T>& kernels_;
  Network<T> network_;
  int of_chunk_;
  SharedPool pool_;
  std::vector<Pass<T>> passes_;  // one for each thread that has a chunk
  Buffer<T> weights_, transposed_, mean_, square_, gradient_, chunk_gradients_;
  std::vector<double> chunk_losses_, block_squares_;
  std::int64_t updates_ = 0;
};

/// Floating-point operations of a step's products for one row of a sequence, forward and back.
double flop_of_row(const NetworkSpec&);

}  // namespace attnscope::training
