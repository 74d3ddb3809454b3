#include "core/training/network/pass.hpp"

#include <algorithm>
#include <cstring>

#include "core/training/kernels/kernels.hpp"

namespace attnscope::training {

template <class T>
Pass<T>::Pass(const Network<T>& network, const Kernels<T>& kernels, int sequences)
    : network_(network), kernels_(kernels), plane_row_(padded(network.spec.length)) {
  const NetworkSpec& spec = network.spec;
  const std::int64_t rows = std::int64_t{sequences} * spec.length, d = spec.width, inside = spec.inside();
  const bool normed = spec.has_norms(), post = spec.is_post_norm(), mlp = spec.inner > 0;
  const auto room = [&](bool there, std::int64_t width) { return Buffer<T>(there ? rows * width : 0); };
  for (int i = 0; i < spec.layers; ++i) {
    Layer layer;
    layer.in = room(true, d);
    layer.normed = room(normed && !post, d);
    layer.moments = room(normed, 2);
    layer.maps = room(true, 3 * inside);
    layer.turned = room(spec.head_norms, 2 * inside);
    layer.head_moments = room(spec.head_norms, 4 * spec.heads);
    layer.planes = Buffer<T>(std::int64_t{sequences} * spec.heads * spec.length * plane_row_);
    layer.joined = room(true, inside);
    layer.sum = room(post, d);
    layer.middle = room(true, d);
    layer.mlp_normed = room(mlp && normed && !post, d);
    layer.mlp_moments = room(mlp && normed, 2);
    layer.up = room(mlp, spec.inner);
    layer.active = room(mlp, spec.inner);
    layer.mlp_sum = room(mlp && post, d);
    layers_.push_back(std::move(layer));
  }
  int classes = 0;
  for (const ReadOut& read_out : spec.read_outs) classes = std::max(classes, read_out.classes);
  out_ = room(true, d);
  last_ = room(spec.is_pre_norm(), d);
  last_moments_ = room(spec.is_pre_norm(), 2);
  patch_rows_ = room(spec.reads_patches(), spec.patch);
  d_ = room(true, d);
  d_narrow_ = room(true, d);
  d_wide_ = room(mlp, spec.inner);
  d_joined_ = room(true, inside);
  d_maps_ = room(true, 3 * inside);
  plane_ = Buffer<T>(spec.length * plane_row_);
  head_t_ = Buffer<T>(spec.d_k() * plane_row_);
  gathered_ = room(true, d);
  d_gathered_ = room(true, d);
  logits_ = room(true, padded(classes));
}

template <class T>
void Pass<T>::map(const T* x, int d_x, WeightsOf<T> weights, const MapAt& at, T* y, const T* plus) {
  kernels_.multiply({x, d_x, 1, weights.values + at.weight, at.d_out, y, at.d_out, rows_, at.d_out, at.d_in,
                     at.bias < 0 ? nullptr : weights.values + at.bias, plus, at.d_out});
}

template <class T>
void Pass<T>::map_backward(const T* x, const T* d_y, WeightsOf<T> weights, const MapAt& at, T* d_x,
                           T* gradient) {
  T* const d_w = gradient + at.weight;
  kernels_.multiply(
      {x, 1, at.d_in, d_y, at.d_out, d_w, at.d_out, at.d_in, at.d_out, rows_, nullptr, d_w, at.d_out});
  if (at.bias >= 0) kernels_.add_columns(d_y, at.d_out, rows_, at.d_out, gradient + at.bias);
  if (d_x != nullptr)
    kernels_.multiply(
        {d_y, at.d_out, 1, weights.transposed + at.weight, at.d_in, d_x, at.d_in, rows_, at.d_in, at.d_out});
}

template <class T>
NormRows<T> Pass<T>::norm_of(const T* x, WeightsOf<T> weights, const NormAt& at, T* moments) const {
  constexpr T epsilon = T(1e-5);
  const int d = network_.spec.width;
  return {x, d, rows_, d, true, epsilon, weights.values + at.weight, weights.values + at.bias, moments};
}

template <class T>
void Pass<T>::embed(WeightsOf<T> weights, const Rows& rows) {
  const NetworkSpec& spec = network_.spec;
  const Layout& layout = network_.layout;
  const std::int64_t d = spec.width;
  T* const to = layers_[0].in.data();
  if (spec.reads_patches()) {
    const std::int64_t in_sequence = std::int64_t{rows.length - 1} * spec.patch;
    std::copy_n(rows.patches, rows.sequences * in_sequence, patch_rows_.data());
    for (int s = 0; s < rows.sequences; ++s) {
      T* const first = to + s * rows.length * d;
      std::copy_n(weights.values + layout.class_token, d, first);
      kernels_.multiply({patch_rows_.data() + s * in_sequence, spec.patch, 1,
                         weights.values + layout.patches.weight, d, first + d, d, rows.length - 1, spec.width,
                         spec.patch, weights.values + layout.patches.bias});
    }
  } else {
    for (int row = 0; row < rows_; ++row)
      std::copy_n(weights.values + layout.token_table + rows.tokens[row] * d, d, to + row * d);
  }
  const T* places = nullptr;
  if (spec.positions == Positions::Learned) places = weights.values + layout.position_table;
  if (spec.positions == Positions::Sinusoidal) places = network_.waves.data();
  if (places == nullptr) return;
  for (int s = 0; s < rows.sequences; ++s) kernels_.add(to + s * rows.length * d, places, rows.length * d);
}

template <class T>
void Pass<T>::embed_backward(const Rows& rows, T* gradient) {
  const NetworkSpec& spec = network_.spec;
  const Layout& layout = network_.layout;
  const std::int64_t d = spec.width;
  if (spec.positions == Positions::Learned)
    for (int s = 0; s < rows.sequences; ++s)
      kernels_.add(gradient + layout.position_table, d_.data() + s * rows.length * d, rows.length * d);
  if (!spec.reads_patches()) {
    for (int row = 0; row < rows_; ++row)
      kernels_.add(gradient + layout.token_table + rows.tokens[row] * d, d_.data() + row * d, d);
    return;
  }
  T* const d_w = gradient + layout.patches.weight;
  for (int s = 0; s < rows.sequences; ++s) {
    const T* const first = d_.data() + s * rows.length * d;
    kernels_.add(gradient + layout.class_token, first, d);
    kernels_.multiply({patch_rows_.data() + std::int64_t{s} * (rows.length - 1) * spec.patch, 1, spec.patch,
                       first + d, d, d_w, d, spec.patch, spec.width, rows.length - 1, nullptr, d_w, d});
    kernels_.add_columns(first + d, d, rows.length - 1, spec.width, gradient + layout.patches.bias);
  }
}

template <class T>
T* Pass<T>::run_mlp(int number, WeightsOf<T> weights, T* middle) {
  const NetworkSpec& spec = network_.spec;
  const BlockLayout& block = network_.layout.blocks[static_cast<std::size_t>(number)];
  Layer& layer = layers_[static_cast<std::size_t>(number)];
  T* const after =
      number + 1 < spec.layers ? layers_[static_cast<std::size_t>(number) + 1].in.data() : out_.data();
  if (spec.inner == 0) {
    std::copy_n(middle, std::int64_t{rows_} * spec.width, after);
    return after;
  }
  const bool post = spec.is_post_norm(), pre = spec.is_pre_norm();
  const T* x = middle;
  if (pre) {
    kernels_.normalise(norm_of(middle, weights, block.mlp_norm, layer.mlp_moments.data()),
                       layer.mlp_normed.data(), spec.width);
    x = layer.mlp_normed.data();
  }
  map(x, spec.width, weights, block.up, layer.up.data());
  kernels_.activate(layer.up.data(), layer.active.data(), std::int64_t{rows_} * spec.inner);
  map(layer.active.data(), spec.inner, weights, block.down, post ? layer.mlp_sum.data() : after, middle);
  if (post)
    kernels_.normalise(norm_of(layer.mlp_sum.data(), weights, block.mlp_norm, layer.mlp_moments.data()),
                       after, spec.width);
  return after;
}

template <class T>
void Pass<T>::mlp_backward(int number, WeightsOf<T> weights, T* gradient) {
  const NetworkSpec& spec = network_.spec;
  if (spec.inner == 0) return;
  const BlockLayout& block = network_.layout.blocks[static_cast<std::size_t>(number)];
  Layer& layer = layers_[static_cast<std::size_t>(number)];
  const bool post = spec.is_post_norm(), pre = spec.is_pre_norm();
  T* const d = d_.data();
  T* const d_weight = gradient + block.mlp_norm.weight;
  T* const d_bias = gradient + block.mlp_norm.bias;
  if (post)
    kernels_.normalise_backward(
        norm_of(layer.mlp_sum.data(), weights, block.mlp_norm, layer.mlp_moments.data()), d, spec.width, d,
        spec.width, false, d_weight, d_bias);
  map_backward(layer.active.data(), d, weights, block.down, d_wide_.data(), gradient);
  kernels_.activate_backward(layer.up.data(), d_wide_.data(), std::int64_t{rows_} * spec.inner);
  const T* const x = pre ? layer.mlp_normed.data() : layer.middle.data();
  map_backward(x, d_wide_.data(), weights, block.up, d_narrow_.data(), gradient);
  if (pre)
    kernels_.normalise_backward(
        norm_of(layer.middle.data(), weights, block.mlp_norm, layer.mlp_moments.data()), d_narrow_.data(),
        spec.width, d, spec.width, true, d_weight, d_bias);
  else
    kernels_.add(d, d_narrow_.data(), std::int64_t{rows_} * spec.width);
}

template <class T>
void Pass<T>::forward(WeightsOf<T> weights, const Rows& rows, const Operation& operation) {
  rows_ = rows.sequences * rows.length;
  embed(weights, rows);
  for (int i = 0; i < network_.spec.layers; ++i) {
    attend(i, weights, rows, operation);
    run_mlp(i, weights, layers_[static_cast<std::size_t>(i)].middle.data());
  }
  if (network_.spec.is_pre_norm())
    kernels_.normalise(norm_of(out_.data(), weights, network_.layout.final_norm, last_moments_.data()),
                       last_.data(), network_.spec.width);
}

template <class T>
void Pass<T>::clear(T* gradient) {
  std::fill_n(gradient, network_.layout.size, T(0));
  std::fill_n(d_.data(), std::int64_t{rows_} * network_.spec.width, T(0));
}

template <class T>
void Pass<T>::backward(WeightsOf<T> weights, const Rows& rows, const Operation& operation, T* gradient,
                       T* score_norms) {
  const NetworkSpec& spec = network_.spec;
  const NormAt& norm = network_.layout.final_norm;
  if (spec.is_pre_norm())
    kernels_.normalise_backward(norm_of(out_.data(), weights, norm, last_moments_.data()), d_.data(),
                                spec.width, d_.data(), spec.width, false, gradient + norm.weight,
                                gradient + norm.bias);
  const std::int64_t norms_of_layer = std::int64_t{rows.sequences} * spec.heads * rows.length;
  for (int i = spec.layers - 1; i >= 0; --i) {
    mlp_backward(i, weights, gradient);
    attend_backward(i, weights, rows, operation, gradient,
                    score_norms == nullptr ? nullptr : score_norms + i * norms_of_layer);
  }
  embed_backward(rows, gradient);
}

template class Pass<float>;
template class Pass<double>;

}  // namespace attnscope::training
