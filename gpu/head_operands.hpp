// gpu: what sweeps and tiles share: a problem's operands on the card, and parts of pictures read from it.
#pragma once

#include <memory>
#include <numbers>
#include <span>

#include "core/streaming/tile.hpp"
#include "gpu/card_copies.hpp"

namespace attnscope::gpu {

template <class T>
T up(T a, T b) {
  return (a + b - 1) / b;
}

/// The operands of some heads of a problem on the card, and the arrays its rule points to.
class HeadOperands {
 public:
  HeadOperands(CardCopies& copies, const AttentionProblem& p, Units units, bool with_value,
               std::int64_t first_head, std::int64_t heads)
      : copies_(copies) {
    const std::int64_t group = p.heads / p.kv_heads, first_key = first_head / group,
                       key_heads = up(first_head + heads, group) - first_key;
    const Units rows{units.arithmetic, units.d};
    operands.query = copies.get({p.query, first_head, heads, p.queries, p.d_k}, rows);
    key_ = {p.key, first_key, key_heads, p.keys, p.d_k};
    operands.key = copies.get(key_, units);
    if (with_value) operands.value = copies.get({p.value, first_key, key_heads, p.keys, p.d_v}, units);
    operands.query_from = operands.first_head = static_cast<int>(first_head);
    operands.key_from = static_cast<int>(first_key);
    operands.heads = static_cast<int>(heads);
    operands.queries = p.queries;
    operands.keys = static_cast<int>(p.keys);
    operands.heads_per_key = static_cast<int>(group);
    set_rule(p);
  }
  void choose(const RowRange& rows, std::int64_t count) {
    operands.first_row = rows.begin;
    operands.step = rows.step;
    operands.rows = static_cast<int>(count);
  }

  /// Keys as rows, whatever the layout of the operands.
  const void* key_rows(Units units) {
    if (!units.groups) return operands.key;
    units.groups = false;
    return copies_.get(key_, units);
  }

  Operands operands{};

 private:
  void set_rule(const AttentionProblem& p) {
    Rule& rule = operands.rule;
    rule.scale = static_cast<float>(p.scale);
    rule.soft_cap = static_cast<float>(p.soft_cap);
    rule.offset = p.offset;
    rule.left = p.left;
    rule.right = p.right;
    rule.real_keys = p.real_keys;
    rule.causal = p.causal;
    const std::int64_t cells = p.queries * p.keys, distances = p.queries + p.keys - 1;
    rule.patterned = on_card<std::uint8_t>(p.patterned, nullptr);
    rule.allowed = on_card(p.allowed.values, p.allowed.owner);
    rule.allowed_head = p.allowed.heads == 1 ? 0 : cells;
    rule.additive = on_card(p.additive.values, p.additive.owner);
    rule.additive_head = p.additive.heads == 1 ? 0 : cells;
    rule.distance_bias = on_card(p.distance_bias, nullptr);
    rule.distance_head = static_cast<std::int64_t>(p.distance_bias.size()) == distances ? 0 : distances;
    const double exponent = std::numbers::log2e / p.temperature;
    rule.exponent = static_cast<float>(changes_scores(rule) ? exponent : exponent * p.scale);
  }
  template <class T>
  const T* on_card(std::span<const T> values, const std::shared_ptr<const void>& owner) {
    return values.empty() ? nullptr : copies_.get(values, owner);
  }

  CardCopies& copies_;
  Wanted key_;
};

inline Units units_for(const AttentionProblem& p, Arithmetic arithmetic) {
  return {arithmetic, padded_width(p.d_k, p.d_v)};
}

/// Folds parts into pictures of this shape, by a pass whose pictures have no memory yet: if nothing is
/// merged, sums become means in place. Parts without largest weights give no picture of them. Complete at the
/// next wait().
PooledTile folded(Device& device, CardCopies& copies, FoldPass pass, const Shape& shape,
                  DeviceArray<float> sums, DeviceArray<float> mosts);

}  // namespace attnscope::gpu
