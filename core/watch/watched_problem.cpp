#include "core/watch/watched_problem.hpp"

#include <algorithm>
#include <limits>

namespace attnscope {
namespace {

constexpr float hidden_cell = -std::numeric_limits<float>::infinity();

/// The masking rule of the rows without their masks, if the engine can express it.
struct SimpleRule {
  bool fits = true;
  bool causal = false;
  std::int64_t keys = 0;  // [0, keys) exist
};

SimpleRule rule_of(const WatchedLayer& layer, const WatchedPart& part) {
  SimpleRule rule;
  const std::int64_t first = layer.position(part.begin), end = layer.end_of(part.begin);
  bool consecutive = true, is_causal = true, same_end = true;
  for (std::int64_t row = part.begin; row < part.end; ++row) {
    const std::int64_t position = layer.position(row);
    consecutive = consecutive && position == first + row - part.begin;
    is_causal = is_causal && layer.end_of(row) == position + 1;
    same_end = same_end && layer.end_of(row) == end;
  }
  rule.causal = !same_end;
  rule.keys = same_end ? end : layer.keys();
  rule.fits = same_end ? consecutive || layer.window == 0 : consecutive && is_causal;
  return rule;
}

/// How many heads the masks and biases of these rows have: 0 if there are none, 1 if one serves all heads.
std::int64_t heads_with_masks(const WatchedLayer& layer, const WatchedPart& part) {
  std::int64_t heads = 0;
  for (const WatchedRows& call : layer.calls) {
    if (call.row >= part.end || call.row + call.count <= part.begin) continue;
    for (const TensorPtr& mask : {call.mask, call.bias})
      if (mask) heads = std::max(heads, mask->shape()[1] == 1 ? 1 : part.heads());
  }
  return heads;
}

/// Frameworks without infinity hide a key by adding the lowest number of the type. In a float such a sum
/// would lose the score, so a row without any other key would have equal weights; so numbers below this one
/// hide.
constexpr float least_shown = -1e30f;

/// Adds a row of the call's mask.
void add_mask_row(const TensorPtr& mask, std::int64_t batch, std::int64_t head, std::int64_t query,
                  float* to) {
  if (!mask) return;
  const Shape& s = mask->shape();
  const std::int64_t b = s[0] == 1 ? 0 : batch, h = s[1] == 1 ? 0 : head;
  const float* const from = mask->data() + ((b * s[1] + h) * s[2] + query) * s[3];
  for (std::int64_t key = 0; key < s[3]; ++key)
    to[key] = to[key] == hidden_cell || from[key] < least_shown ? hidden_cell : to[key] + from[key];
}

void write_row(const WatchedLayer& layer, std::int64_t batch, std::int64_t head, std::int64_t row,
               float* to) {
  const WatchedRows& call = layer.call_of(row);
  const std::int64_t position = layer.position(row), end = layer.end_of(row);
  std::int64_t begin = 0, last = end;
  if (layer.window > 0) {
    begin = std::clamp<std::int64_t>(position - layer.window + 1, 0, end);
    last = std::clamp<std::int64_t>(position + layer.window, begin, end);
  }
  std::fill_n(to, layer.keys(), hidden_cell);
  std::fill(to + begin, to + last, 0.0f);
  add_mask_row(call.mask, batch, head, row - call.row, to);
  add_mask_row(call.bias, batch, head, row - call.row, to);
}

}  // namespace

std::int64_t heads_with_cells(const WatchedLayer& layer, const WatchedPart& part) {
  const std::int64_t masks = heads_with_masks(layer, part);
  return masks > 0 || rule_of(layer, part).fits ? masks : 1;
}

void write_cells(const WatchedLayer& layer, const WatchedPart& part, std::int64_t heads, float* to) {
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t row = part.begin; row < part.end; ++row)
      write_row(layer, part.batch, part.first_head + h, row,
                to + (h * part.rows() + row - part.begin) * layer.keys());
}

WatchedProblem watched_problem(const WatchedLayer& layer, const WatchedPart& part) {
  WatchedProblem made;
  AttentionProblem& p = made.problem;
  const std::int64_t group = layer.heads / layer.kv_heads;
  p.heads = part.heads();
  p.kv_heads = std::max<std::int64_t>(1, p.heads / group);
  p.queries = part.rows();
  p.keys = layer.keys();
  p.d_k = layer.d_k;
  p.d_v = layer.d_v;
  p.query = layer.query.from_head(part.batch * layer.heads + part.first_head);
  p.query.data += part.begin * layer.d_k;
  const std::int64_t key_head = part.batch * layer.kv_heads + part.first_head / group;
  p.key = layer.key.from_head(key_head);
  p.value = layer.value.from_head(key_head);
  p.scale = layer.scale;
  p.soft_cap = layer.soft_cap;
  if (layer.sinks) {
    const auto sinks = layer.sinks->values().subspan(static_cast<std::size_t>(part.first_head),
                                                     static_cast<std::size_t>(p.heads));
    made.sinks.assign(sinks.begin(), sinks.end());
    p.sinks = made.sinks;
  }
  if (const std::int64_t heads = heads_with_cells(layer, part); heads > 0) {
    made.additive.resize(static_cast<std::size_t>(heads * p.queries * p.keys));
    write_cells(layer, part, heads, made.additive.data());
    p.additive = {made.additive, heads, nullptr};
    return made;
  }
  const SimpleRule rule = rule_of(layer, part);
  p.offset = layer.position(part.begin);
  p.causal = rule.causal;
  p.real_keys = rule.keys;
  if (layer.window > 0) p.left = p.right = layer.window - 1;
  return made;
}

}  // namespace attnscope
