#include "core/streaming/drive.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/streaming/border/instruction_sets.hpp"

namespace attnscope::streaming {

PieceRule::PieceRule(const AttentionProblem& p, const RowPiece& piece) {
  for (int i = 0; i < piece.count; ++i) {
    const KeyInterval seen = visible(p, piece.head, piece.first + i * piece.step);
    begin[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(seen.begin);
    end[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(seen.end);
  }
  rule.scale = static_cast<float>(p.scale);
  rule.temperature = p.temperature;
  rule.exponent = static_cast<float>(std::numbers::log2e / p.temperature);
  rule.soft_cap = static_cast<float>(p.soft_cap);
  rule.sink = p.sinks.empty() ? -INFINITY : p.sinks[static_cast<std::size_t>(piece.head)];
  rule.begin = begin.data();
  rule.end = end.data();
  const auto start = [&](std::int64_t heads) {
    return ((heads == 1 ? 0 : piece.head) * p.queries + piece.first) * p.keys;
  };
  if (!p.allowed.empty()) rule.allowed = p.allowed.values.data() + start(p.allowed.heads);
  if (!p.additive.empty()) rule.additive = p.additive.values.data() + start(p.additive.heads);
  rule.allowed_stride = rule.additive_stride = piece.step * p.keys;
  if (!p.distance_bias.empty()) {
    rule.distance_bias = distance_row(p, piece.head, piece.first).data();
    rule.distance_step = piece.step;
  }
}

Rows query_rows(const AttentionProblem& p, const RowPiece& piece) {
  return {p.query.row(piece.head, piece.first), p.query.row_stride * piece.step};
}

Rows key_rows(const AttentionProblem& p, std::int64_t head) {
  return {p.key.row(p.kv_head(head), 0), p.key.row_stride};
}

Rows value_rows(const AttentionProblem& p, std::int64_t head) {
  if (!p.value.has_numbers()) return {nullptr, 0};
  return {p.value.row(p.kv_head(head), 0), p.value.row_stride};
}

const Kernels& chosen(const Kernels* kernels) {
  return kernels != nullptr ? *kernels : *kernels_for(best_instruction_set());
}

double cell_nanoseconds(const AttentionProblem& p, const Kernels& kernels) {
  return static_cast<double>(p.d_k + p.d_v + 16) / (2.5 * kernels.width);
}

Shift shift_of(double log_sum_exp, double temperature) {
  if (log_sum_exp == -INFINITY) return {0, 0};
  const double scaled = log_sum_exp * temperature;
  const auto shift = static_cast<float>(scaled);
  return {shift, static_cast<float>(std::exp((static_cast<double>(shift) - scaled) / temperature))};
}

}  // namespace attnscope::streaming
