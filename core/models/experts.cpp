#include "core/models/experts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"

namespace attnscope {
namespace {

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

std::vector<float> softmax(std::span<const float> x) {
  const float most = std::ranges::max(x);
  std::vector<float> y(x.size());
  float sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += y[i] = std::exp(x[i] - most);
  for (float& value : y) value /= sum;
  return y;
}

/// The places of the `count` largest numbers, the largest first; of equal ones the first.
std::vector<std::int64_t> best_of(std::span<const float> x, std::int64_t count) {
  std::vector<std::int64_t> places(x.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, [&](std::int64_t a, std::int64_t b) {
    return x[static_cast<std::size_t>(a)] > x[static_cast<std::size_t>(b)];
  });
  places.resize(static_cast<std::size_t>(std::min(count, std::ssize(x))));
  return places;
}

/// Sets the scores of experts outside the best groups to -∞.
void keep_groups(const ExpertSettings& settings, std::vector<float>& scores) {
  if (settings.groups <= 1) return;
  const std::size_t size = scores.size() / static_cast<std::size_t>(settings.groups);
  std::vector<float> groups;
  for (std::size_t first = 0; first + size <= scores.size(); first += size) {
    const std::span<const float> group = std::span(scores).subspan(first, size);
    float sum = 0;
    for (const std::int64_t place : best_of(group, settings.best_of_group ? 1 : 2))
      sum += group[static_cast<std::size_t>(place)];
    groups.push_back(sum);
  }
  const std::vector<std::int64_t> kept = best_of(groups, settings.chosen_groups);
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (std::ranges::find(kept, static_cast<std::int64_t>(i / size)) == kept.end())
      scores[i] = -std::numeric_limits<float>::infinity();
}

}  // namespace

std::vector<ChosenExpert> choose_experts(const ExpertSettings& settings, std::span<const float> correction,
                                         std::span<const float> logits) {
  if (std::ranges::any_of(logits, [](float z) { return std::isnan(z); }))
    throw Error("A router of experts gives NaN, so that no expert can be chosen.");
  std::vector<float> weights(logits.begin(), logits.end());
  if (settings.routing == Routing::Softmax) weights = softmax(logits);
  if (settings.routing == Routing::Sigmoid) std::ranges::transform(logits, weights.begin(), sigmoid);
  std::vector<float> scores = weights;
  for (std::size_t i = 0; i < correction.size() && i < scores.size(); ++i) scores[i] += correction[i];
  keep_groups(settings, scores);
  std::vector<ChosenExpert> chosen;
  for (const std::int64_t expert : best_of(scores, settings.chosen))
    chosen.push_back({expert, weights[static_cast<std::size_t>(expert)]});
  if (settings.routing == Routing::SoftmaxOfChosen) {
    std::vector<float> own;
    for (const ChosenExpert& one : chosen) own.push_back(one.weight);
    own = softmax(own);
    for (std::size_t i = 0; i < own.size(); ++i) chosen[i].weight = own[i];
  }
  if (settings.normalised) {
    float sum = settings.routing == Routing::Sigmoid ? 1e-20f : 0;
    for (const ChosenExpert& one : chosen) sum += one.weight;
    for (ChosenExpert& one : chosen) one.weight /= sum;
  }
  for (ChosenExpert& one : chosen) one.weight *= static_cast<float>(settings.scale);
  return chosen;
}

}  // namespace attnscope
