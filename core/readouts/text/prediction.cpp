#include "core/readouts/text/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace attnscope {

double log_sum_exp(std::span<const float> logits) {
  if (logits.empty()) return -INFINITY;
  const auto most = static_cast<double>(std::ranges::max(logits));
  double sum = 0;
  for (const float x : logits) sum += std::exp(static_cast<double>(x) - most);
  return most + std::log(sum);
}

std::vector<double> log_softmax(std::span<const float> logits) {
  if (logits.empty()) return {};
  const double shift = log_sum_exp(logits);
  std::vector<double> result(logits.size());
  std::ranges::transform(logits, result.begin(), [&](float x) { return static_cast<double>(x) - shift; });
  return result;
}

std::vector<PredictedToken> likeliest(std::span<const float> logits, std::int64_t k) {
  const auto at = [&](std::int64_t id) { return logits[static_cast<std::size_t>(id)]; };
  const auto before = [&](std::int64_t a, std::int64_t b) {
    return at(a) > at(b) || (at(a) == at(b) && a < b);
  };
  const auto count = static_cast<std::size_t>(std::clamp<std::int64_t>(k, 0, std::ssize(logits)));
  if (count == 0) return {};
  // The best so far as a heap with the smallest on top: few tokens ever enter it.
  std::vector<std::int64_t> ids(count);
  std::iota(ids.begin(), ids.end(), std::int64_t{0});
  std::ranges::make_heap(ids, before);
  for (auto id = static_cast<std::int64_t>(count); id < std::ssize(logits); ++id) {
    if (!(at(id) > at(ids.front()))) continue;
    std::ranges::pop_heap(ids, before);
    ids.back() = id;
    std::ranges::push_heap(ids, before);
  }
  std::ranges::sort(ids, before);
  const double shift = log_sum_exp(logits);
  if (std::isnan(shift)) return {{not_a_token, shift, shift}};
  std::vector<PredictedToken> tokens;
  for (const std::int64_t id : ids) {
    const auto logit = static_cast<double>(at(id));
    tokens.push_back({id, logit, logit - shift});
  }
  return tokens;
}

std::int64_t rank_of(std::span<const float> logits, std::int64_t id) {
  const float own = logits[static_cast<std::size_t>(id)];
  // Comparisons are added up, not branched on: the processor would guess half of the branches wrong.
  std::int64_t rank = 1;
  for (const float other : logits) rank += other > own ? 1 : 0;
  for (const float other : logits.first(static_cast<std::size_t>(id))) rank += other == own ? 1 : 0;
  return rank;
}

std::vector<std::int64_t> ranks_of(std::span<const float> logits) {
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  std::vector<std::int64_t> ranks(logits.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<std::int64_t>(i) + 1;
  return ranks;
}

double prediction_entropy(std::span<const float> logits) {
  double entropy = 0;
  for (const double log : log_softmax(logits))
    if (std::isfinite(log)) entropy -= std::exp(log) * log;
  return entropy;
}

double divergence(std::span<const float> logits_p, std::span<const float> logits_q) {
  const std::vector<double> p = log_softmax(logits_p), q = log_softmax(logits_q);
  if (p.empty() || std::isnan(p[0]) || std::isnan(q[0])) return NAN;
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (const double share = std::exp(p[i]); share > 0) sum += share * (p[i] - q[i]);
  return std::max(sum, 0.0);
}

PredictionChange prediction_change(std::span<const float> before, std::span<const float> after,
                                   std::int64_t other) {
  PredictionChange change;
  change.divergence = divergence(before, after);
  change.top_before = likeliest(before, 1)[0].id;
  change.top_after = likeliest(after, 1)[0].id;
  if (change.top_before == not_a_token || change.top_after == not_a_token) {
    change.top_logit_change = change.difference_change = NAN;
    return change;
  }
  const auto moved = [&](std::int64_t id) {
    const auto at = static_cast<std::size_t>(id);
    return static_cast<double>(after[at]) - static_cast<double>(before[at]);
  };
  change.top_logit_change = moved(change.top_before);
  change.difference_change = change.top_logit_change - moved(other);
  return change;
}

}  // namespace attnscope
