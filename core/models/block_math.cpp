#include "core/models/block_math.hpp"

#include <algorithm>

#include "core/blocks/norm_rows.hpp"

namespace attnscope {
namespace {

void clear_rows(const FloatRows& x) {
  for (std::int64_t i = 0; i < x.rows; ++i) std::fill_n(x.row(i), x.width, 0.0f);
}

void copy_rows(const ConstFloatRows& from, const FloatRows& to) {
  for (std::int64_t i = 0; i < to.rows; ++i) std::copy_n(from.row(i), to.width, to.row(i));
}

}  // namespace

BlockMath::BlockMath(const StackSpec& spec, const StackWeights& weights, std::int64_t length,
                     const Work& work)
    : spec_(spec), weights_(weights), work_(work) {
  if (spec.positions == ModelPositions::Rotary) frequencies_ = rope_frequencies(spec.rope, length);
}

void BlockMath::norm(const NormWeights& weights, const ConstFloatRows& x, const FloatRows& y) const {
  if (weights.exists())
    normalise_rows(work_, spec_.norm, {weights.weight, weights.bias}, x, y);
  else if (x.data != y.data)
    copy_rows(x, y);
}

FloatRows BlockMath::normed(const NormWeights& weights, const FloatRows& x) {
  const FloatRows y = normed_.make(x.rows, x.width);
  norm(weights, x, y);
  return y;
}

void BlockMath::project(std::span<const LinearMap> maps, const ConstFloatRows& x, const FloatRows& y) const {
  std::int64_t column = 0;
  for (const LinearMap& map : maps) {
    multiply(work_, x, map, {y.data + column, x.rows, map.d_out(), y.stride});
    column += map.d_out();
  }
}

void BlockMath::prepare_heads(std::size_t block, std::span<const std::int64_t> positions,
                              const FloatRows& rows) const {
  const AttentionSpec& of = spec_.blocks[block];
  const AttentionWeights& weights = weights_.blocks[block].attention;
  const HeadColumns& columns = weights.columns;
  const HeadsInRows queries{rows.data + columns.query, rows.rows, of.heads, rows.stride, columns.stride};
  const HeadsInRows keys{rows.data + columns.key, rows.rows, of.kv_heads, rows.stride, columns.stride};
  if (spec_.head_norms) {
    norm_heads(queries, weights.query_norm, of.d_k);
    norm_heads(keys, weights.key_norm, of.d_k);
  }
  if (spec_.positions != ModelPositions::Rotary || !of.rotary) return;
  rotate_in_place(work_, spec_.rope, frequencies_, positions, queries);
  rotate_in_place(work_, spec_.rope, frequencies_, positions, keys);
}

void BlockMath::norm_heads(const HeadsInRows& heads, const NormWeights& weights, std::int64_t d_k) const {
  const NormSettings settings{NormKind::RootMeanSquare, spec_.norm.epsilon, false};
  Tensor head(Shape{heads.rows * heads.heads, d_k});
  const auto each = [&](auto&& fn) {
    for (std::int64_t row = 0; row < heads.rows; ++row)
      for (std::int64_t h = 0; h < heads.heads; ++h)
        fn(heads.data + row * heads.row_stride + h * heads.head_stride,
           head.data() + (row * heads.heads + h) * d_k);
  };
  each([&](const float* in_place, float* copy) { std::copy_n(in_place, d_k, copy); });
  const FloatRows all{head.data(), head.shape()[0], d_k, d_k};
  normalise_rows(work_, settings, {weights.weight, weights.bias}, all, all);
  each([&](float* in_place, const float* copy) { std::copy_n(copy, d_k, in_place); });
}

FloatRows BlockMath::output(const LinearMap& w_o, const ConstFloatRows& heads) {
  return product(heads, w_o, out_);
}

void BlockMath::finish(const BlockWeights& block, const FloatRows& x, FloatRows attention,
                       const BlockParts& parts) {
  const bool after = spec_.arrangement == Arrangement::PostNorm,
             sandwich = spec_.arrangement == Arrangement::Sandwich;
  if (sandwich) norm(block.after_attention_norm, attention, attention);
  if (parts.attention_off) clear_rows(attention);
  if (spec_.arrangement == Arrangement::Parallel) {
    const FloatRows in = normed(block.mlp_norm, x);
    add(attention, x);
    if (!parts.mlp_off) add(transform(block, in), x);
    return;
  }
  if (spec_.residual_after_norm) norm(block.attention_norm, x, x);
  add(attention, x);
  if (after) norm(block.after_attention_norm, x, x);
  if (parts.cross) add(parts.cross(normed(block.cross_norm, x)), x);
  const FloatRows in = normed(block.mlp_norm, x);
  if (spec_.residual_after_norm) copy_rows(in, x);
  const FloatRows out = written_by_mlp(block, in);
  if (parts.mlp_off) clear_rows(out);
  add(out, x);
  if (after) norm(block.after_mlp_norm, x, x);
}

FloatRows BlockMath::mlp_output(const BlockWeights& block, const FloatRows& x) {
  return written_by_mlp(block, normed(block.mlp_norm, x));
}

FloatRows BlockMath::written_by_mlp(const BlockWeights& block, const FloatRows& normed) {
  const FloatRows out = transform(block, normed);
  if (spec_.arrangement == Arrangement::Sandwich) norm(block.after_mlp_norm, out, out);
  return out;
}

void BlockMath::add(const FloatRows& more, const FloatRows& x) const {
  work_.for_each(x.rows, static_cast<double>(x.width) / 8, [&](std::int64_t i) {
    Eigen::Map<Eigen::ArrayXf>(x.row(i), x.width) += Eigen::Map<const Eigen::ArrayXf>(more.row(i), x.width);
  });
}

FloatRows BlockMath::product(const ConstFloatRows& x, const LinearMap& map, SpreadRows& room) const {
  const FloatRows y = room.make(x.rows, map.d_out());
  multiply(work_, x, map, y);
  return y;
}

FloatRows BlockMath::transform(const BlockWeights& block, const FloatRows& x) {
  const FloatRows inner = product(x, block.gate ? *block.gate : block.up, inner_);
  const MatrixMap<float> all(inner.data, x.rows, inner.stride);  // what lies between rows passes too
  if (block.gate) {
    const FloatRows up = product(x, block.up, up_);
    gate_all<float>(work_, spec_.activation, all, ConstMatrixMap<float>(up.data, x.rows, up.stride));
  } else {
    activate_all<float>(work_, spec_.activation, all);
  }
  return product(inner, block.down, out_);
}

}  // namespace attnscope
