#include "core/analysis/cost.hpp"

#include <algorithm>
#include <cmath>

#include "core/attention/run_stage.hpp"
#include "core/document/mask.hpp"
#include "core/document/precision.hpp"

namespace attnscope {

namespace {

/// The share of the scores that the mask allows.
double seen_share(const Document& document, const Dimensions& size, const Measures* measures) {
  const double cells = static_cast<double>(size.batch) * static_cast<double>(size.heads) *
                       static_cast<double>(size.queries) * static_cast<double>(size.keys);
  double seen = 0;
  if (measures != nullptr && !measures->rows.empty()) {
    for (const RowMeasures& row : measures->rows) seen += static_cast<double>(row.allowed);
    return seen / cells;
  }
  const auto rows = MaskRule(document).intervals();
  if (!rows) return 1;
  for (std::int64_t b = 0; b < size.batch; ++b) {
    for (const std::uint8_t patterned : rows->patterned) {
      const auto first = static_cast<std::size_t>((2 * b + patterned) * size.queries);
      for (std::size_t row = first; row < first + static_cast<std::size_t>(size.queries); ++row)
        seen += static_cast<double>(rows->end[row] - rows->begin[row]);
    }
  }
  return seen / cells;
}

std::int64_t position_numbers(const Document& document, const Dimensions& size) {
  const LayerSpec& layer = document.layer();
  const std::optional<Parameter> table = table_of(layer.positions);
  if (!table) return 0;
  if (is_added_to_tokens(layer.positions))
    return layer.weights[*table] ? layer.weights[*table]->size()
                                 : std::max(size.past + size.queries, size.token_keys()) * size.d_model;
  if (position_facts(layer.positions).of_tokens && document.input.is_given()) return 0;
  const ParameterSizes sizes{.d_model = size.d_model, .heads = size.heads, .table_rows = table_rows(layer)};
  return shape_of(info(*table), sizes).count();
}

std::int64_t block_numbers(const LayerSpec& layer) {
  std::int64_t numbers = 0;
  for (const ParameterInfo& row : parameter_table)
    if (reads(layer.block, row.parameter) && layer.weights[row.parameter])
      numbers += layer.weights[row.parameter]->size();
  return numbers;
}

}  // namespace

LayerSize layer_size(const Document& document, const Measures* measures) {
  const LayerSpec& layer = document.layer();
  const Dimensions size = check_any_length(document);
  const bool given = document.input.is_given();
  return {.batch = size.batch,
          .queries = size.queries,
          .keys = size.keys,
          .d_model = size.d_model,
          .heads = size.heads,
          .kv_heads = size.kv_heads,
          .d_k = size.d_k,
          .d_v = size.d_v,
          .cached = size.past,
          .extra = size.extra,
          .latent = has_latent(document) ? layer.latent.width : 0,
          .shared_key = shared_key_width(document),
          .query_latent = has_latent(document) ? layer.latent.query_width : 0,
          .normed_latents = has_latent(document) && layer.latent.normed,
          .biases = layer.weights[Parameter::BQuery] || layer.weights[Parameter::BOutput],
          .sinks = has_sinks(layer),
          .normed = layer.qk_norm.kind != QkNorm::Kind::None,
          .rotary = is_rotary(layer.positions),
          .added_positions = is_added_to_scores(layer.positions) && !layer.linear &&
                             (!position_facts(layer.positions).of_tokens || !given),
          .capped = layer.soft_cap > 0,
          .linear = layer.linear,
          .learned_keys = layer.weights[Parameter::BiasK] && !given ? 1 : 0,
          .query_meets = is_disentangled(document) && layer.position_settings.content_to_position
                             ? 2 * std::int64_t{layer.position_settings.span}
                             : 0,
          .key_meets = is_disentangled(document) && layer.position_settings.position_to_content
                           ? 2 * std::int64_t{layer.position_settings.span}
                           : 0,
          .position_numbers = position_numbers(document, size),
          .seen = seen_share(document, size, measures),
          .block = layer.block,
          .block_numbers = block_numbers(layer),
          .bytes_per_number = bytes_of(document.precision)};
}

namespace {

constexpr double rows_per_pass = 64;  // queries that share one pass over the keys when streaming

/// The sizes as numbers that multiply without overflow.
struct CostNumbers {
  explicit CostNumbers(const LayerSize& s)
      : queries(static_cast<double>(s.batch * s.queries)),
        keys(static_cast<double>(s.batch * s.keys)),
        fresh(static_cast<double>(s.batch * std::max<std::int64_t>(0, s.keys - s.cached - s.extra))),
        cells(static_cast<double>(s.batch) * static_cast<double>(s.heads) * static_cast<double>(s.queries) *
              static_cast<double>(s.keys)),
        passes(std::ceil(static_cast<double>(s.queries) / rows_per_pass)),
        d(static_cast<double>(s.d_model)),
        q_width(static_cast<double>(s.heads * s.d_k)),
        k_width(static_cast<double>(s.kv_heads * s.d_k)),
        v_width(static_cast<double>(s.kv_heads * s.d_v)),
        o_width(static_cast<double>(s.heads * s.d_v)),
        d_k(static_cast<double>(s.d_k)),
        d_v(static_cast<double>(s.d_v)),
        // Every query head of a group reads its group's keys and values again.
        group(static_cast<double>(s.heads) / static_cast<double>(s.kv_heads)) {}
  double queries, keys, fresh, cells, passes, d, q_width, k_width, v_width, o_width, d_k, d_v, group;
};

/// rows · W: reads both, writes rows of the other width.
StageCost product(Stage stage, double rows, double in, double out, double number) {
  const double bytes = number * (rows * in + in * out + rows * out);
  return {stage, 2 * rows * in * out, bytes, bytes};
}

/// 4 multiplications and 2 additions for each pair.
StageCost turn(Stage stage, double numbers, double number) {
  return {stage, 3 * numbers, 2 * number * numbers, 0};
}

/// Square, sum, quotient and product for each number.
StageCost norm(Stage stage, double numbers, double number) {
  return {stage, 4 * numbers, 2 * number * numbers, 0};
}

/// Everything from the scores to the mixed values; each stage handles n² cells.
void add_attention(const LayerSize& size, const CostNumbers& n, std::vector<StageCost>& stages) {
  const double number = size.bytes_per_number;
  const double once = number * n.cells;  // one matrix of scores, read or written
  stages.push_back({Stage::Score, 2 * n.cells * n.d_k,
                    number * (n.queries * n.q_width + n.keys * n.k_width * n.group) + once,
                    number * (n.queries * n.q_width + n.passes * n.keys * n.k_width * n.group)});
  stages.push_back({Stage::Scale, n.cells, 2 * once, 0});
  if (size.capped) stages.push_back({Stage::Cap, 3 * n.cells, 2 * once, 0});  // division, tanh, product
  if (size.added_positions) {
    const double met =
        2 * n.q_width *
        (n.queries * static_cast<double>(size.query_meets) + n.keys * static_cast<double>(size.key_meets));
    stages.push_back({Stage::Bias, n.cells + met, once, 0});
  }
  stages.push_back({Stage::Mask, n.cells, 2 * once, 0});
  stages.push_back(
      {Stage::Softmax, 5 * n.cells, 2 * once, 0});  // maximum, difference, exponential, sum, quotient
  stages.push_back({Stage::Mix, 2 * n.cells * n.d_v,
                    once + number * (n.keys * n.v_width * n.group + n.queries * n.o_width),
                    number * (n.passes * n.keys * n.v_width * n.group + n.queries * n.o_width)});
}

/// φ(K)ᵀ·V and Σ φ(K) are summed token by token; φ(Q) is multiplied with both and the results are divided.
void add_linear(const LayerSize& size, const CostNumbers& n, std::vector<StageCost>& stages) {
  const double number = size.bytes_per_number;
  const double features = n.queries * n.q_width + n.keys * n.k_width;
  const double bytes = number * (n.keys * (n.k_width + n.v_width));
  stages.push_back({Stage::Linear, features + 2 * n.keys * n.k_width * (n.d_v + 1), bytes, bytes});
  const double mixed = number * n.queries * (n.q_width + n.o_width);
  stages.push_back(
      {Stage::Mix, 2 * n.queries * n.q_width * (n.d_v + 1) + n.queries * n.o_width, mixed, mixed});
}

/// Norms, additions and the MLP; no backend fuses them here.
void add_block(const LayerSize& size, const CostNumbers& n, std::vector<StageCost>& stages) {
  const double number = size.bytes_per_number, vectors = n.queries * n.d;
  const auto inner = static_cast<double>(inner_width(size.block, size.d_model));
  const auto add = [&](Stage stage, double flops, double numbers) {
    stages.push_back({stage, flops, number * numbers, number * numbers});
  };
  const bool parallel = size.block.kind == Arrangement::Parallel;
  for (const StageInfo& row : stage_table) {
    const Stage stage = row.stage;
    if (norm_at(size.block, stage)) add(stage, 4 * vectors, 2 * vectors);
    const bool sum = (stage == Stage::Residual && size.block.attention_residual) ||
                     (stage == Stage::MlpResidual && size.block.mlp && (size.block.mlp_residual || parallel));
    if (sum) add(stage, vectors, 3 * vectors);
    if (!size.block.mlp) continue;
    if (stage == Stage::Up || (stage == Stage::Gate && size.block.gated))
      stages.push_back(product(stage, n.queries, n.d, inner, number));
    if (stage == Stage::Down) stages.push_back(product(stage, n.queries, inner, n.d, number));
    const double each = size.block.gated ? 2 : 1;  // the activation, and the product with the gate
    if (stage == Stage::Activation) add(stage, each * n.queries * inner, (1 + each) * n.queries * inner);
  }
}

/// Whether the stage visits every cell of queries × keys, and so can skip hidden ones.
bool has_cells(Stage stage) { return holds_plane(stage) || stage == Stage::Mix; }

/// Queries, keys and values, and the latents they are made of.
void add_projections(const LayerSize& size, const CostNumbers& n, LayerCost& cost) {
  const double number = size.bytes_per_number;
  const auto content = static_cast<double>(size.latent), query = static_cast<double>(size.query_latent),
             shared = static_cast<double>(size.shared_key);
  const double q_in = size.query_latent > 0 ? query : n.d, kv_in = size.latent > 0 ? content : n.d;
  const double own_k = n.k_width - static_cast<double>(size.kv_heads) * shared;  // columns of W_K
  cost.qkv_parameters = q_in * n.q_width + kv_in * (own_k + n.v_width) + n.d * (content + shared + query);
  cost.output_parameters = n.o_width * n.d;
  if (size.biases) cost.bias_parameters = n.q_width + own_k + n.v_width + n.d;
  // With a cache of latents the keys and values of all tokens are projected again.
  const auto cached = static_cast<double>(size.batch * size.cached);
  const double made = n.fresh + (size.latent > 0 ? cached : 0);
  cost.stages = {product(Stage::Query, n.queries, q_in, n.q_width, number),
                 product(Stage::Key, made, kv_in, own_k, number),
                 product(Stage::Value, made, kv_in, n.v_width, number)};
  const auto add_latent = [&](Stage stage, double tokens, double width, double beside) {
    if (width == 0) return;
    StageCost made_of = product(stage, tokens, n.d, width + beside, number);
    if (size.normed_latents) {
      const StageCost normed = norm(stage, tokens * width, number);
      made_of.flops += normed.flops;
      made_of.bytes += normed.bytes;
      cost.norm_parameters += width;
    }
    cost.stages.push_back(made_of);
  };
  add_latent(Stage::QueryLatent, n.queries, query, 0);
  add_latent(Stage::Latent, n.fresh, content, shared);
}

}  // namespace

LayerCost cost_of(const LayerSize& size) {
  const CostNumbers n(size);
  const double number = size.bytes_per_number;
  LayerCost cost;
  add_projections(size, n, cost);
  cost.position_parameters = static_cast<double>(size.position_numbers);
  cost.extra_parameters = static_cast<double>(size.learned_keys) * (n.k_width + n.v_width);
  if (size.sinks) cost.sink_parameters = static_cast<double>(size.heads);
  if (size.normed) {
    cost.norm_parameters += 2 * n.d_k;
    cost.stages.push_back(norm(Stage::NormQuery, n.queries * n.q_width, number));
    cost.stages.push_back(norm(Stage::NormKey, n.fresh * n.k_width, number));
  }
  if (size.rotary) {
    cost.stages.push_back(turn(Stage::RotateQuery, n.queries * n.q_width, number));
    cost.stages.push_back(turn(Stage::RotateKey, n.fresh * n.k_width, number));
  }
  if (size.linear) {
    add_linear(size, n, cost.stages);
  } else {
    add_attention(size, n, cost.stages);
  }
  cost.stages.push_back(product(Stage::Output, n.queries, n.o_width, n.d, number));
  cost.block_parameters = static_cast<double>(size.block_numbers);
  if (has_block(size.block)) add_block(size, n, cost.stages);
  for (const StageCost& stage : cost.stages) {
    cost.flops += stage.flops;
    cost.seen_flops += stage.flops * (!size.linear && has_cells(stage.stage) ? size.seen : 1);
    cost.bytes += stage.bytes;
    cost.streaming_bytes += stage.streaming_bytes;
  }
  constexpr double score_matrices = 4;  // scores, scaled, masked, weights
  constexpr double float_bytes = 4;     // running sums are float32 whatever the storage
  const double heads = static_cast<double>(size.batch) * static_cast<double>(size.kv_heads);
  const double state = number * heads * n.d_k * (n.d_v + 1);  // the running sums of linear attention
  cost.held = size.linear ? state : score_matrices * number * n.cells;
  cost.streaming_held = size.linear ? state : 2 * float_bytes * n.queries * static_cast<double>(size.heads);
  const double latent = static_cast<double>(size.latent + size.shared_key);
  cost.cache = number * n.keys * (size.latent > 0 ? latent : n.k_width + n.v_width);
  return cost;
}

}  // namespace attnscope
