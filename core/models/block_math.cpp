#include "core/models/block_math.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/models/stack_problem.hpp"

namespace attnscope {

namespace {

/// Why only the CPU prepares the heads of a block with these settings; a changed block may have them, too.
std::string why_on_cpu(const LayerSpec& block) {
  if (block.position_settings.query_growth != 0)
    return "Queries that grow with their positions are computed on the CPU only.";
  if (norms_all_heads(block.qk_norm)) return "Norms over all heads run on the CPU only.";
  return {};
}

}  // namespace

std::string why_on_cpu(const Model& model) {
  for (const std::optional<StackSpec>* spec : {&model.spec.encoder, &model.spec.decoder}) {
    if (!*spec) continue;
    const StackSpec& stack = **spec;
    if (stack.experts) return "Experts run on the CPU only.";
    if (stack.residual_scale != 1) return "Multiplied additions to the stream run on the CPU only.";
    for (const LayerSpec& block : stack.blocks)
      if (std::string why = why_on_cpu(block); !why.empty()) return why;
  }
  for (const StackWeights* stack : {&model.encoder, &model.decoder})
    for (const BlockWeights& block : stack->blocks)
      if (!block.attention.sinks.empty()) return "Learned sinks join the softmax on the CPU only.";
  return {};
}

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
  if (!operators_.is_here())
    if (const std::string why = why_on_cpu(of); !why.empty()) throw Error(why);
  const HeadColumns& columns = weights.columns;
  const HeadsInRows queries{rows.data + columns.query, rows.rows, of.heads, rows.stride, columns.stride};
  const HeadsInRows keys{rows.data + columns.key, rows.rows, of.kv_heads, rows.stride, columns.stride};
  if (of.qk_norm.kind != QkNorm::Kind::None) {
    const NormSettings settings = norm_settings(of.qk_norm);
    const auto norm_heads = [&](const HeadsInRows& heads, const NormWeights& norm) {
      if (!norms_all_heads(of.qk_norm))
        return operators_.norm_heads(work_, settings, {norm.weight, norm.bias}, heads, of.d_k);
      // The heads of a token lie side by side.
      const FloatRows side_by_side{heads.data, heads.rows, heads.heads * of.d_k, heads.row_stride};
      operators_.norm(work_, settings, {norm.weight, norm.bias}, side_by_side, side_by_side);
    };
    norm_heads(queries, weights.query_norm);
    norm_heads(keys, weights.key_norm);
  }
  if (!is_rotary(of.positions)) return;
  const RopeFrequencies& frequencies = frequencies_of(of);
  operators_.rotate(work_, of.positions, frequencies, positions, queries);
  operators_.rotate(work_, of.positions, frequencies, positions, keys);
  if (of.position_settings.query_growth == 0) return;
  const RopeSettings rope = rope_of(of);
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    const auto factor = static_cast<float>(query_factor(rope, positions[static_cast<std::size_t>(r)]));
    for (std::int64_t h = 0; h < of.heads; ++h)
      for (std::int64_t c = 0; c < of.d_k; ++c)
        queries.data[r * queries.row_stride + h * queries.head_stride + c] *= factor;
  }
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
             normed_before = norms_additions(spec_.arrangement());
  if (normed_before) norm(block.after_attention_norm, attention, attention);
  scale(attention);
  if (parts.attention_off) operators_.clear(work_, attention);
  if (spec_.arrangement() == Arrangement::Parallel) {
    const FloatRows in = normed(block.mlp_norm, x);
    operators_.add(work_, attention, x);
    if (!parts.mlp_off) operators_.add(work_, written_by_mlp(block, in), x);
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
  if (norms_additions(spec_.arrangement())) norm(block.after_mlp_norm, out, out);
  scale(out);
  return out;
}

void BlockMath::scale(const FloatRows& rows) const {
  if (spec_.residual_scale == 1) return;
  const auto factor = static_cast<float>(spec_.residual_scale);
  for (std::int64_t i = 0; i < rows.rows; ++i)
    for (std::int64_t c = 0; c < rows.width; ++c) rows.data[i * rows.stride + c] *= factor;
}

FloatRows BlockMath::product(const ConstFloatRows& x, const LinearMap& map, RowBuffer purpose) const {
  const FloatRows y = operators_.make(purpose, x.rows, map.d_out());
  operators_.multiply(work_, x, map, y);
  return y;
}

FloatRows BlockMath::transform(const BlockWeights& block, const FloatRows& x) {
  if (block.mixture) return mixed(*block.mixture, x);
  const FloatRows inner = product(x, block.gate ? *block.gate : block.up, RowBuffer::Inner);
  if (block.gate)
    operators_.gate(work_, spec_.blocks.front().block.activation, inner, product(x, block.up, RowBuffer::Up));
  else
    operators_.activate(work_, spec_.blocks.front().block.activation, inner);
  return product(inner, block.down, RowBuffer::Out);
}

FloatRows BlockMath::mixed(const MixtureWeights& mixture, const FloatRows& x) {
  const ExpertSettings& settings = *spec_.experts;
  const std::int64_t experts = mixture.router.d_out();
  std::vector<float> logits(static_cast<std::size_t>(x.rows * experts));
  operators_.multiply(work_, x, mixture.router, {logits.data(), x.rows, experts, experts});
  std::vector<std::vector<std::pair<std::int64_t, float>>> rows_of(static_cast<std::size_t>(experts));
  for (std::int64_t row = 0; row < x.rows; ++row) {
    const std::span<const float> own(logits.data() + row * experts, static_cast<std::size_t>(experts));
    for (const auto& [expert, weight] : choose_experts(settings, mixture.correction, own))
      rows_of[static_cast<std::size_t>(expert)].emplace_back(row, weight);
  }
  const FloatRows out = operators_.make(RowBuffer::Out, x.rows, x.width);
  operators_.clear(work_, out);
  // Expert by expert, so that the sum of a row does not depend on the other rows.
  for (std::size_t e = 0; e < rows_of.size(); ++e)
    if (!rows_of[e].empty()) add_expert(mixture.experts[e], x, rows_of[e], out);
  if (mixture.shared) {
    std::vector<std::pair<std::int64_t, float>> all;
    for (std::int64_t row = 0; row < x.rows; ++row) {
      float weight = 1;
      if (mixture.shared_gate) {
        operators_.multiply(work_, {x.row(row), 1, x.width, x.stride}, *mixture.shared_gate,
                            {&weight, 1, 1, 1});
        weight = 1 / (1 + std::exp(-weight));
      }
      all.emplace_back(row, weight);
    }
    add_expert(*mixture.shared, x, all, out);
  }
  return out;
}

void BlockMath::add_expert(const ExpertWeights& expert, const FloatRows& x,
                           std::span<const std::pair<std::int64_t, float>> rows, const FloatRows& out) {
  const auto count = std::ssize(rows);
  std::vector<float> gathered(static_cast<std::size_t>(count * x.width));
  for (std::int64_t i = 0; i < count; ++i)
    std::copy_n(x.row(rows[static_cast<std::size_t>(i)].first), x.width, gathered.data() + i * x.width);
  const ConstFloatRows in{gathered.data(), count, x.width, x.width};
  FloatRows inner = product(in, expert.gate ? *expert.gate : expert.up, RowBuffer::Inner);
  if (spec_.experts->gate == ExpertGate::Clamped)
    inner = expert.gate ? clamped(inner, product(in, expert.up, RowBuffer::Up)) : clamped_halves(inner);
  else if (expert.gate)
    operators_.gate(work_, spec_.blocks.front().block.activation, inner,
                    product(in, expert.up, RowBuffer::Up));
  else
    operators_.activate(work_, spec_.blocks.front().block.activation, inner);
  std::vector<float> made(static_cast<std::size_t>(count * x.width));
  operators_.multiply(work_, inner, expert.down, {made.data(), count, x.width, x.width});
  for (std::int64_t i = 0; i < count; ++i) {
    const auto& [row, weight] = rows[static_cast<std::size_t>(i)];
    for (std::int64_t c = 0; c < x.width; ++c)
      out.row(row)[c] += weight * made[static_cast<std::size_t>(i * x.width + c)];
  }
}

namespace {

/// gpt-oss: (u + 1)·g·σ(1.702·g) with g ≤ 7 and |u| ≤ 7.
float clamped(float gate, float up) {
  const float g = std::min(gate, 7.0f), u = std::clamp(up, -7.0f, 7.0f);
  return (u + 1) * g / (1 + std::exp(-1.702f * g));
}

}  // namespace

FloatRows BlockMath::clamped(const FloatRows& gate, const FloatRows& up) {
  for (std::int64_t i = 0; i < gate.rows; ++i)
    for (std::int64_t c = 0; c < gate.width; ++c)
      gate.row(i)[c] = attnscope::clamped(gate.row(i)[c], up.row(i)[c]);
  return gate;
}

FloatRows BlockMath::clamped_halves(const FloatRows& both) {
  const FloatRows made{both.data, both.rows, both.width / 2, both.stride};
  for (std::int64_t i = 0; i < both.rows; ++i)
    for (std::int64_t c = 0; c < made.width; ++c)
      made.row(i)[c] = attnscope::clamped(both.row(i)[2 * c], both.row(i)[2 * c + 1]);
  return made;
}

}  // namespace attnscope
