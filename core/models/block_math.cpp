#include "core/models/block_math.hpp"

#include "core/models/stack_problem.hpp"

namespace attnscope {

BlockMath::BlockMath(const StackSpec& spec, std::int64_t length, const Work& work, RowOperators& operators)
    : spec_(spec), work_(work), operators_(operators), length_(length) {
  check_arrangement(spec);
}

void BlockMath::norm(const NormWeights& weights, const ConstFloatRows& x, const FloatRows& y) const {
  if (weights.exists())
    operators_.norm(work_, spec_.norm(), {weights.weight, weights.bias}, x, y);
  else if (x.data != y.data)
    operators_.copy(work_, x, y);
}

FloatRows BlockMath::normed(const NormWeights& weights, const FloatRows& x) {
  const FloatRows y = operators_.make(RowBuffer::Normed, x.rows, x.width);
  norm(weights, x, y);
  return y;
}

void BlockMath::project(std::span<const LinearMap> maps, const ConstFloatRows& x, const FloatRows& y) const {
  std::int64_t column = 0;
  for (const LinearMap& map : maps) {
    operators_.multiply(work_, x, map, {y.data + column, x.rows, map.d_out(), y.stride});
    column += map.d_out();
  }
}

void BlockMath::prepare_heads(const LayerSpec& of, const AttentionWeights& weights,
                              std::span<const std::int64_t> positions, const FloatRows& rows) {
  const HeadColumns& columns = weights.columns;
  const HeadsInRows queries{rows.data + columns.query, rows.rows, of.heads, rows.stride, columns.stride};
  const HeadsInRows keys{rows.data + columns.key, rows.rows, of.kv_heads, rows.stride, columns.stride};
  if (of.qk_norm.kind != QkNorm::Kind::None) {
    const NormSettings settings = norm_settings(of.qk_norm);
    const auto norm_heads = [&](const HeadsInRows& heads, const NormWeights& norm) {
      operators_.norm_heads(work_, settings, {norm.weight, norm.bias}, heads, of.d_k);
    };
    norm_heads(queries, weights.query_norm);
    norm_heads(keys, weights.key_norm);
  }
  if (!is_rotary(of.positions)) return;
  const RopeFrequencies& frequencies = frequencies_of(of);
  operators_.rotate(work_, of.positions, frequencies, positions, queries);
  operators_.rotate(work_, of.positions, frequencies, positions, keys);
}

const RopeFrequencies& BlockMath::frequencies_of(const LayerSpec& layer) {
  for (const Frequencies& of : frequencies_)
    if (of.d_k == layer.d_k && of.settings == layer.position_settings) return of.values;
  frequencies_.push_back({layer.position_settings, layer.d_k, rope_frequencies(rope_of(layer), length_)});
  return frequencies_.back().values;
}

FloatRows BlockMath::output(const LinearMap& w_o, const ConstFloatRows& heads) {
  return product(heads, w_o, RowBuffer::Out);
}

void BlockMath::finish(const BlockWeights& block, const FloatRows& x, FloatRows attention,
                       const BlockParts& parts) {
  const bool after = spec_.arrangement() == Arrangement::PostNorm,
             sandwich = spec_.arrangement() == Arrangement::Sandwich;
  if (sandwich) norm(block.after_attention_norm, attention, attention);
  if (parts.attention_off) operators_.clear(work_, attention);
  if (spec_.arrangement() == Arrangement::Parallel) {
    const FloatRows in = normed(block.mlp_norm, x);
    operators_.add(work_, attention, x);
    if (!parts.mlp_off) operators_.add(work_, transform(block, in), x);
    return;
  }
  if (spec_.residual_after_norm) norm(block.attention_norm, x, x);
  operators_.add(work_, attention, x);
  if (after) norm(block.after_attention_norm, x, x);
  if (parts.cross) operators_.add(work_, parts.cross(normed(block.cross_norm, x)), x);
  const FloatRows in = normed(block.mlp_norm, x);
  if (spec_.residual_after_norm) operators_.copy(work_, in, x);
  const FloatRows out = written_by_mlp(block, in);
  if (parts.mlp_off) operators_.clear(work_, out);
  operators_.add(work_, out, x);
  if (after) norm(block.after_mlp_norm, x, x);
}

FloatRows BlockMath::mlp_output(const BlockWeights& block, const FloatRows& x) {
  return written_by_mlp(block, normed(block.mlp_norm, x));
}

FloatRows BlockMath::written_by_mlp(const BlockWeights& block, const FloatRows& normed) {
  const FloatRows out = transform(block, normed);
  if (spec_.arrangement() == Arrangement::Sandwich) norm(block.after_mlp_norm, out, out);
  return out;
}

FloatRows BlockMath::product(const ConstFloatRows& x, const LinearMap& map, RowBuffer purpose) const {
  const FloatRows y = operators_.make(purpose, x.rows, map.d_out());
  operators_.multiply(work_, x, map, y);
  return y;
}

FloatRows BlockMath::transform(const BlockWeights& block, const FloatRows& x) {
  const FloatRows inner = product(x, block.gate ? *block.gate : block.up, RowBuffer::Inner);
  if (block.gate)
    operators_.gate(work_, spec_.blocks.front().block.activation, inner, product(x, block.up, RowBuffer::Up));
  else
    operators_.activate(work_, spec_.blocks.front().block.activation, inner);
  return product(inner, block.down, RowBuffer::Out);
}

}  // namespace attnscope
