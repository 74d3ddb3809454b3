// core/training/network: some sequences through the network and back. Products run over the rows of all of
// them at once; attention runs sequence by sequence and head by head, on planes that stay in the cache. One
// Pass belongs to one thread at a time and makes nothing new once it exists.
//
// Formulas: Vaswani et al. 2017; the backward of each piece stands beside it in core/training/kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/training/network/buffer.hpp"
#include "core/training/network/layout.hpp"

namespace attnscope::training {

// core/training/kernels/kernels.hpp
template <class T>
struct AttentionRows;
template <class T>
struct Kernels;
template <class T>
struct NormRows;

/// What a person may change while a network trains, without another network.
struct Operation {
  bool scaled = true;               // scores times 1/√d_k
  bool causal = false;              // query i sees keys 0 … i
  std::vector<std::uint8_t> muted;  // [layers · heads], 1: the head gives zeros; empty = none is muted
  bool operator==(const Operation&) const = default;
};

/// A spec with what can be worked out beforehand: layout, and tables of positions.
template <class T>
struct Network {
  explicit Network(const NetworkSpec&);
  NetworkSpec spec;
  Layout layout;
  Buffer<T> cosines, sines;  // Rotary: [length][d_k / 2]
  Buffer<T> waves;           // Sinusoidal: [length][width]
  std::vector<T> slopes;     // Alibi: of each head
};

/// Both have the layout of the network. transposed: each matrix [d_in][d_out] as [d_out][d_in] in its own
/// place.
template <class T>
struct WeightsOf {
  const T *values, *transposed;
};
/// Fills `transposed` with matrix number i of those that have a transpose; false when there is none of that
/// number.
template <class T>
bool transpose_matrix(const Network<T>&, const Kernels<T>&, const T* values, std::size_t i, T* transposed);

/// Sequences of `length` rows each. One of the two is null.
struct Rows {
  const std::int32_t* tokens;  // [sequences][length], each < vocabulary
  const float* patches;        // [sequences][length − 1][patch]
  int sequences, length;
};

/// What one read-out is to say: rows of the sequences, and the class of each.
struct Targets {
  std::span<const std::int32_t> rows, classes;
  double weight = 0;  // of each row's loss: 1 / number of targets in the whole batch
};

template <class T>
class Pass {
 public:
  /// Room for `sequences` of the network's length. The network must outlive it.
  Pass(const Network<T>&, const Kernels<T>&, int sequences);

  void forward(WeightsOf<T>, const Rows&, const Operation&);
  /// Behind forward(), before the first read_out() of a pass that goes back: no gradient yet.
  void clear(T* gradient);
  /// Σ weight · −ln softmax(logits)[class] of a read-out; its gradient is added and begins the way back. To
  /// be called for the read-outs in turn.
  double read_out(std::size_t number, WeightsOf<T>, const Targets&, T* gradient);
  /// Behind the read-outs: adds the gradient of the summed loss. score_norms: null, or
  /// [layers][sequences][heads][length]: the length of dL/d(scaled scores) of each query.
  void backward(WeightsOf<T>, const Rows&, const Operation&, T* gradient, T* score_norms = nullptr);

  /// Logits of some rows, [rows][classes], behind forward().
  void logits(std::size_t read_out, WeightsOf<T>, std::span<const std::int32_t> rows, T* out);
  /// Weights of a head behind forward(): [length][stride()], 0 behind the keys that a query sees.
  const T* weights(int layer, int sequence, int head) const;
  std::int64_t stride() const { return plane_row_; }

 private:
  struct Layer {
    Buffer<T> in, normed, moments, maps, turned, head_moments, planes, joined, sum, middle, mlp_normed,
        mlp_moments, up, active, mlp_sum;
  };
  void embed(WeightsOf<T>, const Rows&);
  void attend(int layer, WeightsOf<T>, const Rows&, const Operation&);
  void attend_head(int layer, int sequence, int head, const Rows&, const Operation&);
  void turn(int layer, WeightsOf<T>, const Rows&);
  T* run_mlp(int layer, WeightsOf<T>, T* middle);
  void embed_backward(const Rows&, T* gradient);
  void attend_backward(int layer, WeightsOf<T>, const Rows&, const Operation&, T* gradient, T* score_norms);
  void attend_head_backward(int layer, int sequence, int head, const Rows&, const Operation&, T* norms);
  void turn_backward(int layer, WeightsOf<T>, const Rows&, T* gradient);
  void mlp_backward(int layer, WeightsOf<T>, T* gradient);

  // y = x · W + b, and the same with what is added; its three gradients.
  void map(const T* x, int d_x, WeightsOf<T>, const MapAt&, T* y, const T* plus = nullptr);
  void map_backward(const T* x, const T* d_y, WeightsOf<T>, const MapAt&, T* d_x, T* gradient);
  NormRows<T> norm_of(const T* x, WeightsOf<T>, const NormAt&, T* moments) const;
  AttentionRows<T> rows_of(T* plane, int first, int count, int head, const Rows&, const Operation&) const;
  bool is_muted(const Operation&, int layer, int head) const;
  /// Where queries and keys stand, and how far apart their rows are.
  const T* queries(const Layer&) const;
  std::int64_t query_row() const;

  const Network<T>& network_;
  const Kernels<T>& kernels_;
  int rows_ = 0;  // of the pass that was made last
  std::int64_t plane_row_;
  std::vector<Layer> layers_;
  Buffer<T> out_, last_, last_moments_;  // what leaves the blocks, behind the final norm
  Buffer<T> patch_rows_;
  // Scratch of the way back.
  Buffer<T> d_, d_wide_, d_narrow_, d_joined_, d_maps_, plane_, head_t_, gathered_, d_gathered_, logits_;
};

}  // namespace attnscope::training
