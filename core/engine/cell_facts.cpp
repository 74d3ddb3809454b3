#include "core/engine/cell_facts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Core>

#include "core/attention/run_stage.hpp"
#include "core/attention/scores.hpp"
#include "core/attention/softmax.hpp"

namespace attnscope {
namespace {

bool is_muted(const LayerSpec& layer, std::int64_t head) {
  const auto& all = layer.interventions;
  return head < std::ssize(all) && all[static_cast<std::size_t>(head)].kind == Intervention::Kind::Mute;
}

}  // namespace

CellFacts cell_facts(const LayerResult& result, const MaskRule& rule, const CellRow& row,
                     const CellPlace& place) {
  const LayerSpec& layer = result.document.layer();
  CellFacts f;
  static_cast<CellPlace&>(f) = place;
  f.is_computed = row.is_computed;
  f.has_bias = !row.bias.empty();
  f.masked = !rule.allows(f.b, f.h, f.query, f.key);
  const auto at = [&](std::span<const float> stage) {
    return static_cast<double>(stage[static_cast<std::size_t>(f.key)]);
  };
  f.score = at(row.score);
  f.scaled = at(row.scaled);
  f.capped = at(row.capped);
  if (f.has_bias) f.bias = at(row.bias);
  f.hidden = at(row.masked);
  f.softmax = at(row.softmax);
  f.own = at(row.own);
  f.weight = at(row.weights);
  f.mixed = at(row.mixed);
  const Eigen::Map<const Eigen::ArrayXf> masked_row(row.masked.data(), std::ssize(row.masked));
  const bool naive = layer.softmax == SoftmaxKind::Naive;         // subtracts nothing
  const auto sink = static_cast<double>(sink_logit(layer, f.h));  // -inf without one
  f.largest = naive ? 0 : std::max(sink, static_cast<double>(masked_row.maxCoeff()));
  f.allowed = row.measures.allowed;
  const double tau = static_cast<double>(layer.temperature);
  const bool muted = is_muted(layer, f.h);
  const std::span<const float> ranked = muted ? row.own : row.weights;
  for (std::size_t j = 0; j < row.weights.size(); ++j) {
    if (static_cast<double>(ranked[j]) > (muted ? f.own : f.weight)) ++f.rank;
    const double x = static_cast<double>(row.masked[j]);
    if (std::isfinite(x)) f.sum += std::exp((x - f.largest) / tau);
  }
  if (std::isfinite(sink)) f.sum += std::exp((sink - f.largest) / tau);
  f.shifted = (f.hidden - f.largest) / tau;
  f.exponential = f.hidden == -INFINITY ? 0 : std::exp(f.shifted);
  f.overflows = std::isinf(std::exp(static_cast<float>(f.shifted)));
  return f;
}

double full_weight(const LayerResult& result, const MaskRule& full, const CellRow& row,
                   const CellPlace& place) {
  const LayerSpec& layer = result.document.layer();
  const auto keys = static_cast<std::size_t>(result.dimensions.keys);
  const MaskedRow<float> parts{
      place.b,     place.h,
      place.query, row.capped,
      row.bias,    MaskRule::additive_row<float>(layer.masking.additive, place.b, place.h, place.query)};
  std::vector<float> masked(keys), weights(keys);
  std::vector<std::uint8_t> seen(keys);
  mask_row<float>(full, parts, seen, masked);
  softmax_row<float>(SoftmaxKind::Stable, masked, layer.temperature, weights, sink_logit(layer, place.h));
  return static_cast<double>(weights[static_cast<std::size_t>(place.key)]);
}

}  // namespace attnscope
