#include "core/analysis/row_measures.hpp"

#include <cmath>
#include <limits>

#include "core/attention/row_math.hpp"
#include "core/attention/run_stage.hpp"
#include "core/attention/scores.hpp"

namespace attnscope {
namespace {

/// Entropy in the centred form H = ln l - u / l, which loses nothing when all scores share a large offset.
void measure_entropy(const SumsOfRow& sums, double temperature, RowMeasures& row) {
  if (sums.largest_score == -std::numeric_limits<double>::infinity()) {
    row.entropy = 0;
    row.log_sum_exp = sums.largest_score;
  } else {
    const double entropy = std::log(sums.sum) - sums.centred / sums.sum;
    row.entropy = entropy < 0 ? 0 : entropy;  // NaN stays
    row.log_sum_exp = sums.largest_score / temperature + std::log(sums.sum);
  }
}

/// Adds the sink to the log-sum-exp and computes its share. Returns the share of the keys.
double measure_sink(double logit, double temperature, RowMeasures& row) {
  const double sink = logit / temperature, keys = row.log_sum_exp, top = std::fmax(sink, keys);
  row.log_sum_exp = std::isnan(keys) ? keys : top + std::log(std::exp(sink - top) + std::exp(keys - top));
  row.sink = std::exp(sink - row.log_sum_exp);
  return std::exp(keys - row.log_sum_exp);
}

void measure_spread(RowMeasures& row) {
  row.effective = row.entropy == 0 && row.largest == 0 ? 0 : std::exp(row.entropy);
  if (row.allowed >= 2) {
    const double share = row.entropy / std::log(static_cast<double>(row.allowed));
    row.normalised = share > 1 ? 1 : share;
  } else {
    row.normalised = not_a_number;
  }
}

/// A muted head attends to no key: no entropy, 0 effective keys.
void measure_silence(RowMeasures& row) {
  row.effective = 0;
  row.entropy = row.normalised = not_a_number;
}

void measure_weights(const SumsOfRow& sums, RowMeasures& row, HeadMeasures& head) {
  row.largest = static_cast<double>(sums.largest);
  if (row.allowed > 0 && sums.largest > 0) row.strongest = sums.strongest;
  head.not_finite += sums.not_finite;
  head.largest = std::fmax(head.largest, row.largest);
  const double norm = sums.squares - 2 * sums.cubes + sums.squares * sums.squares;
  if (row.allowed < 2) {
    row.jacobian = not_a_number;
  } else {
    const auto n = static_cast<double>(row.allowed);
    row.jacobian = norm < 0 ? 0 : std::sqrt(norm) * n / std::sqrt(n - 1);  // NaN stays
  }
}

void measure_places(const SumsOfRow& sums, RowMeasures& row) {
  row.first = static_cast<double>(sums.first);
  row.self = static_cast<double>(sums.near[2]);
  row.previous = static_cast<double>(sums.near[1]);
  row.next = static_cast<double>(sums.near[3]);
  row.special = sums.special;
  row.extra = sums.extra;
  const bool is_measured = sums.on_tokens > 0 || std::isnan(sums.on_tokens);  // NaN stays
  row.distance = is_measured ? sums.distances / sums.on_tokens : 0;
}

}  // namespace

RowRules row_rules(const Document& document, std::int64_t head) {
  const LayerSpec& layer = document.layer();
  RowRules rules;
  rules.temperature = static_cast<double>(layer.temperature);
  if (has_sinks(layer)) rules.sink = static_cast<double>(sink_logit(layer, head));
  if (has_intervention(document, head)) rules.kind = layer.interventions[static_cast<std::size_t>(head)].kind;
  rules.is_linear = layer.linear;
  rules.has_own_entropy = layer.linear || layer.masking.mistake == MaskMistake::AfterSoftmax ||
                          layer.softmax == SoftmaxKind::Naive || rules.kind != Intervention::Kind::None;
  return rules;
}

RowMeasures measures_of_row(const RowFacts& facts, const SumsOfRow& sums, const RowRules& rules,
                            std::span<const float> weights, HeadMeasures& head) {
  const bool is_replaced = rules.kind != Intervention::Kind::None;
  RowMeasures row;
  row.allowed = facts.allowed;
  row.padding = facts.padding;
  measure_entropy(sums, rules.temperature, row);
  double to_keys = 1;
  if (rules.sink) to_keys = measure_sink(*rules.sink, rules.temperature, row);
  if (is_replaced || rules.is_linear) {  // weights without a sink
    row.sink = 0;
    to_keys = 1;
  }
  const bool is_empty = sums.largest_score == -std::numeric_limits<double>::infinity();
  if (!weights.empty() && (rules.has_own_entropy || is_empty))
    row.entropy = entropy_of_weights(weights, to_keys);
  measure_weights(sums, row, head);
  if (row.sink > 0 && row.largest == 0) row.entropy = 0;  // the sink has all the weight
  measure_spread(row);
  if (rules.kind == Intervention::Kind::Mute) measure_silence(row);
  if (is_replaced && row.allowed >= 2) row.jacobian = 0;
  measure_places(sums, row);
  return row;
}

}  // namespace attnscope
