// tests/oracle: the decoder of GPT-2 (Radford et al. 2019), naively in double: loops over the formulas,
// sharing nothing with the product. Hooks change its numbers where interventions do.
#pragma once

#include <functional>
#include <vector>

namespace oracle {

using GptRow = std::vector<double>;
using GptRows = std::vector<GptRow>;

struct GptBlock {
  GptRow norm1, bias1, norm2, bias2;
  GptRows qkv, out, up, down;  // [in][out]
  GptRow qkv_bias, out_bias, up_bias, down_bias;
};

struct GptWeights {
  int d = 0, heads = 0;
  double epsilon = 1e-5;
  GptRows tokens, positions;
  std::vector<GptBlock> blocks;
  GptRow norm, norm_bias;
};

struct GptHooks {
  std::function<void(int block, int head, GptRows& weights)> pattern;  // [n][n]
  std::function<void(int block, int head, GptRows& output)> output;    // [n][d_k]
  std::function<double(int block)> scale, temperature;
  std::function<bool(int block)> no_mask, no_attention, no_mlp;
};

struct GptRun {
  std::vector<GptRows> hidden, middle;  // before each block and after the last; [block] after attention
  std::vector<std::vector<GptRows>> weights, outputs;  // [block][head]
  std::vector<std::vector<GptRows>> queries, keys, values;
  GptRows normed, logits;
};

GptRun run_gpt(const GptWeights&, const std::vector<int>& ids, const GptHooks& = {});

/// Logits of one row of the residual stream.
GptRow gpt_logits(const GptWeights&, const GptRow& stream);

}  // namespace oracle
