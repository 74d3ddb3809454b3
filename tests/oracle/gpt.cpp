#include "oracle/gpt.hpp"

#include <cmath>

#include "oracle/blocks.hpp"

namespace oracle {
namespace {

GptRow times(const GptRow& x, const GptRows& w, const GptRow& bias) {
  GptRow y = bias;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t o = 0; o < y.size(); ++o) y[o] += x[i] * w[i][o];
  return y;
}

GptRow part(const GptRow& row, int first, int count) {
  return {row.begin() + first, row.begin() + first + count};
}

/// softmax(scale · q·k / temperature) over the keys that are seen.
GptRows attention(const GptRows& q, const GptRows& k, double scale, double temperature, bool causal) {
  GptRows weights;
  for (std::size_t i = 0; i < q.size(); ++i) {
    GptRow row(k.size(), 0.0);
    double sum = 0;
    for (std::size_t j = 0; j < k.size() && (!causal || j <= i); ++j) {
      double score = 0;
      for (std::size_t c = 0; c < q[i].size(); ++c) score += q[i][c] * k[j][c];
      sum += row[j] = std::exp(score * scale / temperature);
    }
    for (double& w : row) w /= sum;
    weights.push_back(row);
  }
  return weights;
}

GptRows mixed(const GptRows& weights, const GptRows& values) {
  GptRows out;
  for (const GptRow& row : weights) {
    GptRow sum(values[0].size(), 0.0);
    for (std::size_t j = 0; j < row.size(); ++j)
      for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += row[j] * values[j][c];
    out.push_back(sum);
  }
  return out;
}

template <class T>
T asked(const std::function<T(int)>& hook, int block, T otherwise) {
  return hook ? hook(block) : otherwise;
}

void attend(const GptWeights& model, int b, GptRows& x, const GptHooks& hooks, GptRun& run) {
  const GptBlock& block = model.blocks[static_cast<std::size_t>(b)];
  const int d_k = model.d / model.heads;
  GptRows all;
  for (const GptRow& row : x)
    all.push_back(times(layer_norm(row, block.norm1, block.bias1, model.epsilon), block.qkv, block.qkv_bias));
  GptRows side_by_side(x.size());
  const auto at = static_cast<std::size_t>(b);
  for (int h = 0; h < model.heads; ++h) {
    GptRows q, k, v;
    for (const GptRow& row : all) {
      q.push_back(part(row, h * d_k, d_k));
      k.push_back(part(row, model.d + h * d_k, d_k));
      v.push_back(part(row, 2 * model.d + h * d_k, d_k));
    }
    GptRows weights =
        attention(q, k, asked<double>(hooks.scale, b, 1 / std::sqrt(d_k)),
                  asked<double>(hooks.temperature, b, 1), !asked<bool>(hooks.no_mask, b, false));
    if (hooks.pattern) hooks.pattern(b, h, weights);
    GptRows out = mixed(weights, v);
    if (hooks.output) hooks.output(b, h, out);
    for (std::size_t i = 0; i < x.size(); ++i)
      side_by_side[i].insert(side_by_side[i].end(), out[i].begin(), out[i].end());
    run.weights[at].push_back(weights);
    run.outputs[at].push_back(out);
    run.queries[at].push_back(q);
    run.keys[at].push_back(k);
    run.values[at].push_back(v);
  }
  if (asked<bool>(hooks.no_attention, b, false)) return;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const GptRow more = times(side_by_side[i], block.out, block.out_bias);
    for (std::size_t c = 0; c < more.size(); ++c) x[i][c] += more[c];
  }
}

void transform(const GptWeights& model, const GptBlock& block, GptRow& x) {
  GptRow inner = times(layer_norm(x, block.norm2, block.bias2, model.epsilon), block.up, block.up_bias);
  for (double& value : inner) value = gelu_tanh(value);
  const GptRow more = times(inner, block.down, block.down_bias);
  for (std::size_t c = 0; c < x.size(); ++c) x[c] += more[c];
}

}  // namespace

GptRow gpt_logits(const GptWeights& model, const GptRow& stream) {
  const GptRow x = layer_norm(stream, model.norm, model.norm_bias, model.epsilon);
  GptRow logits;
  for (const GptRow& token : model.tokens) {
    double sum = 0;
    for (std::size_t c = 0; c < x.size(); ++c) sum += token[c] * x[c];
    logits.push_back(sum);
  }
  return logits;
}

GptRun run_gpt(const GptWeights& model, const std::vector<int>& ids, const GptHooks& hooks) {
  GptRun run;
  GptRows x;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    x.push_back(model.tokens[static_cast<std::size_t>(ids[i])]);
    for (std::size_t c = 0; c < x[i].size(); ++c) x[i][c] += model.positions[i][c];
  }
  for (auto* all : {&run.weights, &run.outputs, &run.queries, &run.keys, &run.values})
    all->resize(model.blocks.size());
  for (int b = 0; b < static_cast<int>(model.blocks.size()); ++b) {
    run.hidden.push_back(x);
    attend(model, b, x, hooks, run);
    run.middle.push_back(x);
    if (!asked<bool>(hooks.no_mlp, b, false))
      for (GptRow& row : x) transform(model, model.blocks[static_cast<std::size_t>(b)], row);
  }
  run.hidden.push_back(x);
  for (const GptRow& row : x) {
    run.normed.push_back(layer_norm(row, model.norm, model.norm_bias, model.epsilon));
    run.logits.push_back(gpt_logits(model, row));
  }
  return run;
}

}  // namespace oracle
