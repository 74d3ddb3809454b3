#include "core/models/stack_problem.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/document/enum_names.hpp"
#include "core/models/staged_attention.hpp"
#include "core/transformer/positions/schemes.hpp"

namespace attnscope {
namespace {

/// Adds the mask: as a number of real keys if only keys at the end are hidden, else cell by cell.
void add_mask(BlockProblem& made, std::span<const std::uint8_t> mask) {
  AttentionProblem& p = made.problem;
  if (std::ranges::find(mask, 0) == mask.end()) return;
  const auto real = std::ranges::find(mask, 0) - mask.begin();
  if (real > 0 && std::all_of(mask.begin() + real, mask.end(), [](std::uint8_t m) { return m == 0; })) {
    p.real_keys = real;
    return;
  }
  made.allowed.reserve(static_cast<std::size_t>(p.queries * p.keys));
  for (std::int64_t i = 0; i < p.queries; ++i)
    made.allowed.insert(made.allowed.end(), mask.begin(), mask.end());
  p.allowed = {made.allowed, 1};
}

/// Adds a bias for each head and distance key − query.
void add_distances(BlockProblem& made, const PositionBias<float>& bias) {
  AttentionProblem& p = made.problem;
  const auto distances = static_cast<std::size_t>(p.queries + p.keys - 1);
  made.distance_bias.resize(static_cast<std::size_t>(p.heads) * distances);
  for (std::int64_t h = 0; h < p.heads; ++h)
    bias.fill(h, p.offset + p.queries - 1,
              std::span(made.distance_bias).subspan(static_cast<std::size_t>(h) * distances, distances));
  p.distance_bias = made.distance_bias;
}

void add_positions(BlockProblem& made, Positions positions, const PositionSettings& settings,
                   const AttentionWeights& weights) {
  check_positions(positions);
  if (is_distance_bias(positions))
    add_distances(made, *position_bias<float>({.scheme = positions,
                                               .settings = settings,
                                               .image = {},
                                               .heads = made.problem.heads,
                                               .table = weights.bias_table.get(),
                                               .seed = 0}));
}

BlockProblem sized(const LayerSpec& of, std::int64_t queries, std::int64_t keys) {
  BlockProblem made;
  AttentionProblem& p = made.problem;
  p.heads = of.heads;
  p.kv_heads = of.kv_heads;
  p.queries = queries;
  p.keys = keys;
  p.d_k = p.d_v = of.d_k;
  p.scale = scale_of(of);
  p.soft_cap = static_cast<double>(of.soft_cap);
  return made;
}

}  // namespace

void check_positions(Positions positions) {
  if (position_facts(positions).in_blocks) return;
  throw Error(fmt::format("Positions of a model: {}; learned, RoPE, ALiBi or T5 buckets were expected.",
                          enum_name(positions).words));
}

void check_arrangement(const StackSpec& spec) {
  if (spec.arrangement() == Arrangement::None)
    throw Error(
        "Arrangement of a model's blocks: none; pre-norm, post-norm, sandwich or parallel was expected.");
}

void set_window(const LayerSpec& of, AttentionProblem& p) {
  p.causal = of.masking.causal;
  p.left = of.masking.window.left;
  p.right = of.masking.window.right;
}

BlockProblem self_problem(const StackSpec& spec, const StackWeights& weights, std::size_t index,
                          const AttentionRun& run, std::int64_t first, std::span<const std::uint8_t> mask) {
  const LayerSpec& of = layer_of(spec, run, index);
  const HeadColumns& columns = weights.blocks[index].attention.columns;
  const std::int64_t rows = run.queries.rows();
  BlockProblem made = sized(of, rows - first, rows);
  AttentionProblem& p = made.problem;
  p.query = {run.queries.row(first) + columns.query, columns.stride, columns.width};
  p.key = {run.queries.row(0) + columns.key, columns.stride, columns.width};
  p.value = {run.queries.row(0) + columns.value, columns.stride, columns.width};
  p.offset = first;
  if (run.staged) {
    p.allowed = {std::span(run.staged->allowed), run.staged->allowed_heads};
  } else {
    set_window(of, p);
    add_mask(made, mask);
  }
  add_positions(made, of.positions, of.position_settings, weights.blocks[index].attention);
  p.sinks = weights.blocks[index].attention.sinks;
  return made;
}

BlockProblem cross_problem(const StackSpec& spec, const StackWeights& weights, std::size_t index,
                           const AttentionRun& run, std::int64_t first, std::span<const std::uint8_t> mask) {
  const LayerSpec& of = spec.blocks[index];
  const HeadColumns& columns = weights.blocks[index].cross.columns;
  BlockProblem made = sized(of, run.queries.rows() - first, run.keys.rows());
  AttentionProblem& p = made.problem;
  p.kv_heads = of.heads;
  p.query = {run.queries.row(first), of.d_k, run.queries.width};
  p.key = {run.keys.row(0) + columns.key, columns.stride, columns.width};
  p.value = {run.keys.row(0) + columns.value, columns.stride, columns.width};
  add_mask(made, mask);
  return made;
}

}  // namespace attnscope
