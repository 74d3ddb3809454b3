#include "core/cost.hpp"

#include <cmath>

#include "core/stages/precision.hpp"

namespace attnscope {

LayerSize layer_size(const Document& document) {
  const Dimensions size = check_any_length(document);
  return {.batch = size.batch,
          .queries = size.queries,
          .keys = size.keys,
          .d_model = size.d_model,
          .heads = size.heads,
          .kv_heads = size.kv_heads,
          .d_k = size.d_k,
          .d_v = size.d_v,
          .biases = document.weights.b_query || document.weights.b_output,
          .bytes_per_number = bytes_of(document.precision)};
}

namespace {

constexpr double rows_per_pass = 64;  // queries that share one pass over the keys when streaming

/// The sizes as numbers that multiply without overflow.
struct Numbers {
  explicit Numbers(const LayerSize& s)
      : queries(static_cast<double>(s.batch * s.queries)),
        keys(static_cast<double>(s.batch * s.keys)),
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
  double queries, keys, cells, passes, d, q_width, k_width, v_width, o_width, d_k, d_v, group;
};

/// rows · W: reads both, writes rows of the other width.
StageCost product(Stage stage, double rows, double in, double out, double number) {
  const double bytes = number * (rows * in + in * out + rows * out);
  return {stage, 2 * rows * in * out, bytes, bytes};
}

}  // namespace

LayerCost cost_of(const LayerSize& size) {
  const Numbers n(size);
  const double number = size.bytes_per_number;
  LayerCost cost;
  cost.qkv_parameters = n.d * (n.q_width + n.k_width + n.v_width);
  cost.output_parameters = n.o_width * n.d;
  if (size.biases) cost.bias_parameters = n.q_width + n.k_width + n.v_width + n.d;
  const double once = number * n.cells;  // one matrix of scores, read or written
  cost.stages = {
      product(Stage::Query, n.queries, n.d, n.q_width, number),
      product(Stage::Key, n.keys, n.d, n.k_width, number),
      product(Stage::Value, n.keys, n.d, n.v_width, number),
      {Stage::Score, 2 * n.cells * n.d_k,
       number * (n.queries * n.q_width + n.keys * n.k_width * n.group) + once,
       number * (n.queries * n.q_width + n.passes * n.keys * n.k_width * n.group)},
      {Stage::Scale, n.cells, 2 * once, 0},
      {Stage::Mask, n.cells, 2 * once, 0},
      // Maximum, subtraction, exponential, sum, division.
      {Stage::Softmax, 5 * n.cells, 2 * once, 0},
      {Stage::Mix, 2 * n.cells * n.d_v,
       once + number * (n.keys * n.v_width * n.group + n.queries * n.o_width),
       number * (n.passes * n.keys * n.v_width * n.group + n.queries * n.o_width)},
      product(Stage::Output, n.queries, n.o_width, n.d, number),
  };
  for (const StageCost& stage : cost.stages) {
    cost.flops += stage.flops;
    cost.bytes += stage.bytes;
    cost.streaming_bytes += stage.streaming_bytes;
  }
  constexpr double score_matrices = 4;  // scores, scaled, masked, weights
  constexpr double float_bytes = 4;     // running sums are float32 whatever the storage
  cost.held = score_matrices * once;
  cost.streaming_held = 2 * float_bytes * n.queries * static_cast<double>(size.heads);
  cost.cache = number * n.keys * (n.k_width + n.v_width);
  return cost;
}

}  // namespace attnscope
