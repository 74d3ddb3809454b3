// core/attention/backward: the backward pass from queries, keys and values to X: rotary positions, QK-norm,
// learned keys, latents and the three projections.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/backward/backward_frame.hpp"
#include "core/attention/blocks.hpp"
#include "core/attention/projections.hpp"

namespace attnscope {

/// Each step propagates the gradient of the stage of its name to the stages that it reads.
template <class T>
class ProjectionSteps {
 public:
  using Values = TensorOf<T>;
  using Ptr = TensorPtrOf<T>;
  explicit ProjectionSteps(BackwardFrame<T>& frame) : f_(frame) {}

  void rotate_query();
  void rotate_key();
  void norm_query();
  void norm_key();
  void bias_k();
  void bias_v();
  /// The gradients of queries, keys and values are added to the same X. The walk reaches the queries last,
  /// and only then are all three added, in the order of the stage table.
  void projections();
  void latent();
  void query_latent();
  /// Adds to the gradients of the matrix and the bias, and to d_x.
  void learn(Projection which, const ProjectRun<T>& run, const Values& d_y, Values& d_x);

 private:
  /// A key head is open if one of the query heads that read it is.
  std::vector<std::uint8_t> open_keys() const;
  void norm(Stage from, Stage to, Parameter which, std::int64_t tokens, OpenHeads open);
  void extra(Parameter which, Stage from);
  void projection(Projection which, const Values& x, const Values& d_y, Values& d_x);
  void project();
  Stage keys_source() const;
  /// W_K and W_V read the content; the key that all heads share is the rest of the latent.
  void project_latent();
  void compressed(Stage of, Stage from, Parameter matrix, Parameter norm);

  BackwardFrame<T>& f_;
};

}  // namespace attnscope
