// The attention of a Pass, head by head.
#include <algorithm>
#include <cstddef>

#include "core/training/kernels/kernels.hpp"
#include "core/training/network/pass.hpp"

namespace attnscope::training {
namespace {

/// Queries that go through a plane together: under a causal mask they leave the keys behind their last one
/// alone.
constexpr int queries_together = 16;

struct QueryBlock {
  int first, count, keys;
};
/// Calls fn for the blocks of `length` queries.
template <class Fn>
void for_each_block(int length, bool causal, Fn fn) {
  const int step = causal ? queries_together : length;
  for (int first = 0; first < length; first += step) {
    const int count = std::min(step, length - first);
    fn(QueryBlock{first, count, causal ? first + count : length});
  }
}

}  // namespace

template <class T>
bool Pass<T>::is_muted(const Operation& operation, int layer, int head) const {
  return !operation.muted.empty() &&
         operation.muted[static_cast<std::size_t>(layer * network_.spec.heads + head)] != 0;
}

template <class T>
AttentionRows<T> Pass<T>::rows_of(T* plane, int first, int count, int head, const Rows& rows,
                                  const Operation& operation) const {
  const NetworkSpec& spec = network_.spec;
  const T scale = operation.scaled ? T(1) / static_cast<T>(__builtin_sqrt(spec.d_k())) : T(1);
  const T slope = network_.slopes.empty() ? T(0) : network_.slopes[static_cast<std::size_t>(head)];
  return {plane + first * plane_row_, plane_row_, count, first, rows.length, operation.causal, scale, slope};
}

template <class T>
const T* Pass<T>::queries(const Layer& layer) const {
  return network_.spec.head_norms ? layer.turned.data() : layer.maps.data();
}
template <class T>
std::int64_t Pass<T>::query_row() const {
  return (network_.spec.head_norms ? 2 : 3) * std::int64_t{network_.spec.inside()};
}

template <class T>
const T* Pass<T>::weights(int layer, int sequence, int head) const {
  const NetworkSpec& spec = network_.spec;
  return layers_[static_cast<std::size_t>(layer)].planes.data() +
         (std::int64_t{sequence} * spec.heads + head) * spec.length * plane_row_;
}

/// Norms of queries and keys, and their turning.
template <class T>
void Pass<T>::turn(int number, WeightsOf<T> weights, const Rows& rows) {
  const NetworkSpec& spec = network_.spec;
  const BlockLayout& block = network_.layout.blocks[static_cast<std::size_t>(number)];
  Layer& layer = layers_[static_cast<std::size_t>(number)];
  const int inside = spec.inside(), d_k = spec.d_k();
  constexpr T epsilon = T(1e-6);
  T* const at = spec.head_norms ? layer.turned.data() : layer.maps.data();
  if (spec.head_norms) {
    for (int side = 0; side < 2; ++side) {
      const T* const weight = weights.values + (side == 0 ? block.query_norm : block.key_norm);
      for (int head = 0; head < spec.heads; ++head) {
        const int column = side * inside + head * d_k;
        T* const moments = layer.head_moments.data() + (std::int64_t{side} * spec.heads + head) * 2 * rows_;
        kernels_.normalise(
            {layer.maps.data() + column, 3 * inside, rows_, d_k, false, epsilon, weight, nullptr, moments},
            at + column, 2 * inside);
      }
    }
  }
  if (!spec.rotates(number)) return;
  for (int s = 0; s < rows.sequences; ++s)
    for (int head = 0; head < 2 * spec.heads; ++head)
      kernels_.rotate(at + s * rows.length * query_row() + head * d_k, query_row(), rows.length, d_k / 2,
                      network_.cosines.data(), network_.sines.data(), false);
}

template <class T>
void Pass<T>::turn_backward(int number, WeightsOf<T> weights, const Rows& rows, T* gradient) {
  const NetworkSpec& spec = network_.spec;
  const BlockLayout& block = network_.layout.blocks[static_cast<std::size_t>(number)];
  Layer& layer = layers_[static_cast<std::size_t>(number)];
  const int inside = spec.inside(), d_k = spec.d_k();
  constexpr T epsilon = T(1e-6);
  T* const d_maps = d_maps_.data();
  if (spec.rotates(number))
    for (int s = 0; s < rows.sequences; ++s)
      for (int head = 0; head < 2 * spec.heads; ++head)
        kernels_.rotate(d_maps + std::int64_t{s} * rows.length * 3 * inside + head * d_k, 3 * inside,
                        rows.length, d_k / 2, network_.cosines.data(), network_.sines.data(), true);
  if (!spec.head_norms) return;
  for (int side = 0; side < 2; ++side) {
    const std::int64_t norm = side == 0 ? block.query_norm : block.key_norm;
    for (int head = 0; head < spec.heads; ++head) {
      const int column = side * inside + head * d_k;
      T* const moments = layer.head_moments.data() + (std::int64_t{side} * spec.heads + head) * 2 * rows_;
      T* const d = d_maps + column;
      kernels_.normalise_backward({layer.maps.data() + column, 3 * inside, rows_, d_k, false, epsilon,
                                   weights.values + norm, nullptr, moments},
                                  d, 3 * inside, d, 3 * inside, false, gradient + norm, nullptr);
    }
  }
}

template <class T>
void Pass<T>::attend_head(int number, int sequence, int head, const Rows& rows, const Operation& operation) {
  const NetworkSpec& spec = network_.spec;
  Layer& layer = layers_[static_cast<std::size_t>(number)];
  const int inside = spec.inside(), d_k = spec.d_k(), n = rows.length;
  const std::int64_t row = std::int64_t{sequence} * n, q_row = query_row();
  const T* const q = queries(layer) + row * q_row + head * d_k;
  const T* const v = layer.maps.data() + row * 3 * inside + 2 * inside + head * d_k;
  T* const plane =
      layer.planes.data() + (std::int64_t{sequence} * spec.heads + head) * spec.length * plane_row_;
  T* const out = layer.joined.data() + row * inside + head * d_k;
  if (is_muted(operation, number, head))
    for (int i = 0; i < n; ++i) std::fill_n(out + std::int64_t{i} * inside, d_k, T(0));
  kernels_.transpose(q + inside, q_row, n, d_k, head_t_.data(), plane_row_);
  for_each_block(n, operation.causal, [&](const QueryBlock& block) {
    T* const scores = plane + block.first * plane_row_;
    kernels_.multiply({q + block.first * q_row, q_row, 1, head_t_.data(), plane_row_, scores, plane_row_,
                       block.count, block.keys, d_k});
    kernels_.softmax(rows_of(plane, block.first, block.count, head, rows, operation));
    if (is_muted(operation, number, head)) return;
    kernels_.multiply({scores, plane_row_, 1, v, 3 * inside, out + std::int64_t{block.first} * inside, inside,
                       block.count, d_k, block.keys});
  });
}

template <class T>
void Pass<T>::attend_head_backward(int number, int sequence, int head, const Rows& rows,
                                   const Operation& operation, T* norms) {
  const NetworkSpec& spec = network_.spec;
  Layer& layer = layers_[static_cast<std::size_t>(number)];
  const int inside = spec.inside(), d_k = spec.d_k(), n = rows.length;
  const std::int64_t row = std::int64_t{sequence} * n, q_row = query_row(), maps_row = 3 * inside;
  const T* const q = queries(layer) + row * q_row + head * d_k;
  const T* const v = layer.maps.data() + row * maps_row + 2 * inside + head * d_k;
  const T* const plane = weights(number, sequence, head);
  const T* const d_out = d_joined_.data() + row * inside + head * d_k;
  T* const d_q = d_maps_.data() + row * maps_row + head * d_k;
  if (is_muted(operation, number, head)) {
    for (int i = 0; i < n; ++i)
      for (int side = 0; side < 3; ++side) std::fill_n(d_q + i * maps_row + side * inside, d_k, T(0));
    if (norms != nullptr) std::fill_n(norms, n, T(0));
    return;
  }
  T* const d_plane = plane_.data();
  kernels_.transpose(v, maps_row, n, d_k, head_t_.data(), plane_row_);
  for_each_block(n, operation.causal, [&](const QueryBlock& block) {
    T* const d_scores = d_plane + block.first * plane_row_;
    kernels_.multiply({d_out + std::int64_t{block.first} * inside, inside, 1, head_t_.data(), plane_row_,
                       d_scores, plane_row_, block.count, block.keys, d_k});
    kernels_.softmax_backward(rows_of(d_plane, block.first, block.count, head, rows, operation),
                              plane + block.first * plane_row_,
                              norms == nullptr ? nullptr : norms + block.first);
    kernels_.multiply({d_scores, plane_row_, 1, q + inside, q_row, d_q + block.first * maps_row, maps_row,
                       block.count, d_k, block.keys});
  });
  // A key meets the queries from its own on.
  for_each_block(n, operation.causal, [&](const QueryBlock& block) {
    const int first = operation.causal ? block.first : 0;
    const std::int64_t corner = first * plane_row_ + block.first;
    T* const d_k_rows = d_q + block.first * maps_row + inside;
    kernels_.multiply({d_plane + corner, 1, plane_row_, q + first * q_row, q_row, d_k_rows, maps_row,
                       block.count, d_k, n - first});
    kernels_.multiply({plane + corner, 1, plane_row_, d_out + std::int64_t{first} * inside, inside,
                       d_k_rows + inside, maps_row, block.count, d_k, n - first});
  });
}

template <class T>
void Pass<T>::attend(int number, WeightsOf<T> weights, const Rows& rows, const Operation& operation) {
  const NetworkSpec& spec = network_.spec;
  const BlockLayout& block = network_.layout.blocks[static_cast<std::size_t>(number)];
  Layer& layer = layers_[static_cast<std::size_t>(number)];
  const bool post = spec.is_post_norm(), pre = spec.is_pre_norm();
  const T* x = layer.in.data();
  if (pre) {
    kernels_.normalise(norm_of(x, weights, block.attention_norm, layer.moments.data()), layer.normed.data(),
                       spec.width);
    x = layer.normed.data();
  }
  map(x, spec.width, weights, block.maps, layer.maps.data());
  turn(number, weights, rows);
  for (int s = 0; s < rows.sequences; ++s)
    for (int head = 0; head < spec.heads; ++head) attend_head(number, s, head, rows, operation);
  map(layer.joined.data(), spec.inside(), weights, block.output,
      post ? layer.sum.data() : layer.middle.data(), layer.in.data());
  if (post)
    kernels_.normalise(norm_of(layer.sum.data(), weights, block.attention_norm, layer.moments.data()),
                       layer.middle.data(), spec.width);
}

template <class T>
void Pass<T>::attend_backward(int number, WeightsOf<T> weights, const Rows& rows, const Operation& operation,
                              T* gradient, T* score_norms) {
  const NetworkSpec& spec = network_.spec;
  const BlockLayout& block = network_.layout.blocks[static_cast<std::size_t>(number)];
  Layer& layer = layers_[static_cast<std::size_t>(number)];
  const bool post = spec.is_post_norm(), pre = spec.is_pre_norm();
  T* const d = d_.data();
  T* const d_weight = gradient + block.attention_norm.weight;
  T* const d_bias = gradient + block.attention_norm.bias;
  if (post)
    kernels_.normalise_backward(
        norm_of(layer.sum.data(), weights, block.attention_norm, layer.moments.data()), d, spec.width, d,
        spec.width, false, d_weight, d_bias);
  map_backward(layer.joined.data(), d, weights, block.output, d_joined_.data(), gradient);
  for (int s = 0; s < rows.sequences; ++s)
    for (int head = 0; head < spec.heads; ++head)
      attend_head_backward(number, s, head, rows, operation,
                           score_norms == nullptr
                               ? nullptr
                               : score_norms + (std::int64_t{s} * spec.heads + head) * rows.length);
  turn_backward(number, weights, rows, gradient);
  map_backward(pre ? layer.normed.data() : layer.in.data(), d_maps_.data(), weights, block.maps,
               d_narrow_.data(), gradient);
  if (pre)
    kernels_.normalise_backward(norm_of(layer.in.data(), weights, block.attention_norm, layer.moments.data()),
                                d_narrow_.data(), spec.width, d, spec.width, true, d_weight, d_bias);
  else
    kernels_.add(d, d_narrow_.data(), std::int64_t{rows_} * spec.width);
}

#define ATTNSCOPE_PASS_ATTENTION(T)                                                                 \
  template void Pass<T>::attend(int, WeightsOf<T>, const Rows&, const Operation&);                  \
  template void Pass<T>::attend_backward(int, WeightsOf<T>, const Rows&, const Operation&, T*, T*); \
  template const T* Pass<T>::weights(int, int, int) const;
ATTNSCOPE_PASS_ATTENTION(float)
ATTNSCOPE_PASS_ATTENTION(double)

}  // namespace attnscope::training
