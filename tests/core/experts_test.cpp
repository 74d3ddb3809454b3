// The routing of mixtures of experts against a naive one: all experts are ordered by counting, in double.
#include "core/models/experts.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/samples.hpp"

namespace attnscope::experts_test {
namespace {

using samples::Random;

/// How many numbers stand before number i: larger ones, and equal ones with a smaller index.
int rank_of(const std::vector<double>& x, std::size_t i) {
  int before = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    if (x[j] > x[i] || (x[j] == x[i] && j < i)) ++before;
  return before;
}

double sum_of_best(std::vector<double> x, int count) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (rank_of(x, i) < count) sum += x[i];
  return sum;
}

/// The weight of every expert; 0 where it is not chosen.
std::vector<double> naive(const ExpertSettings& settings, const std::vector<float>& correction,
                          const std::vector<float>& logits) {
  const std::size_t n = logits.size();
  std::vector<double> own(n), score(n), weight(n, 0.0);
  double all = 0;
  for (const float z : logits) all += std::exp(static_cast<double>(z));
  for (std::size_t i = 0; i < n; ++i) {
    const double z = static_cast<double>(logits[i]);
    own[i] = settings.routing == Routing::Softmax   ? std::exp(z) / all
             : settings.routing == Routing::Sigmoid ? 1 / (1 + std::exp(-z))
                                                    : z;
    score[i] = own[i] + (correction.empty() ? 0.0 : static_cast<double>(correction[i]));
  }
  if (settings.groups > 1) {
    const std::size_t size = n / static_cast<std::size_t>(settings.groups);
    std::vector<double> groups;
    for (std::size_t g = 0; g < static_cast<std::size_t>(settings.groups); ++g)
      groups.push_back(sum_of_best({score.begin() + static_cast<std::ptrdiff_t>(g * size),
                                    score.begin() + static_cast<std::ptrdiff_t>((g + 1) * size)},
                                   settings.best_of_group ? 1 : 2));
    for (std::size_t i = 0; i < n; ++i)
      if (rank_of(groups, i / size) >= settings.chosen_groups)
        score[i] = -std::numeric_limits<double>::infinity();
  }
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (rank_of(score, i) >= settings.chosen) continue;
    weight[i] = settings.routing == Routing::SoftmaxOfChosen ? std::exp(own[i]) : own[i];
    sum += weight[i];
  }
  const bool divides = settings.normalised || settings.routing == Routing::SoftmaxOfChosen;
  for (double& one : weight) one *= settings.scale / (divides ? sum : 1);
  return weight;
}

ExpertSettings some(Routing routing, int experts, int chosen) {
  ExpertSettings settings;
  settings.routing = routing;
  settings.experts = experts;
  settings.chosen = chosen;
  return settings;
}

using Places = std::vector<std::int64_t>;
Places places_of(const std::vector<ChosenExpert>& chosen) {
  Places places;
  for (const ChosenExpert& one : chosen) places.push_back(one.expert);
  return places;
}

}  // namespace

TEST_CASE("experts and their weights are those of a naive routing", "[models][experts]") {
  Random random(31);
  for (int round = 0; round < 600; ++round) {
    constexpr Routing routings[]{Routing::Softmax, Routing::SoftmaxOfChosen, Routing::Sigmoid};
    ExpertSettings settings =
        some(routings[random.between(0, 2)], static_cast<int>(random.between(1, 12)), 1);
    if (random.coin()) {
      settings.groups = static_cast<int>(random.between(1, 4));
      settings.chosen_groups = static_cast<int>(random.between(1, settings.groups));
      settings.experts = settings.groups * static_cast<int>(random.between(2, 4));
      settings.best_of_group = random.coin();
    }
    // No more than the kept groups have: behind those all scores are -∞.
    settings.chosen =
        static_cast<int>(random.between(1, settings.experts / settings.groups * settings.chosen_groups));
    settings.normalised = random.coin();
    settings.scale = random.coin() ? 1.0 : 2.5;
    // Multiples of 1/4 of which some are equal: the first of them is chosen. For sums of a group's scores,
    // float and double would round ties apart.
    const bool ties = settings.groups == 1;
    std::vector<float> logits, correction;
    for (int i = 0; i < settings.experts; ++i)
      logits.push_back(ties ? 0.25f * static_cast<float>(random.between(-6, 6))
                            : static_cast<float>(2 * random.normal()));
    if (!ties && random.coin())
      for (int i = 0; i < settings.experts; ++i) correction.push_back(static_cast<float>(random.normal()));
    CAPTURE(round, static_cast<int>(settings.routing), settings.experts, settings.chosen, settings.groups,
            settings.chosen_groups, settings.best_of_group, settings.normalised, settings.scale);
    const std::vector<double> expected = naive(settings, correction, logits);
    std::vector<double> found(expected.size(), 0.0);
    const std::vector<ChosenExpert> chosen = choose_experts(settings, correction, logits);
    REQUIRE(std::ssize(chosen) == settings.chosen);
    for (const ChosenExpert& one : chosen)
      found.at(static_cast<std::size_t>(one.expert)) += static_cast<double>(one.weight);
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(std::abs(found[i] - expected[i]) < 1e-5);
  }
}

TEST_CASE("experts stand in the order of their scores, equal ones in that of their numbers",
          "[models][experts]") {
  const ExpertSettings three = some(Routing::Softmax, 5, 3);
  CHECK(places_of(choose_experts(three, {}, std::vector<float>{1, 3, 1, 2, 1})) == Places{1, 3, 0});
  CHECK(places_of(choose_experts(three, {}, std::vector<float>(5, 0.5f))) == Places{0, 1, 2});
  // A correction chooses and does not weigh.
  const ExpertSettings one = some(Routing::Sigmoid, 3, 1);
  const std::vector<ChosenExpert> chosen =
      choose_experts(one, std::vector<float>{0, 0, 5}, std::vector<float>{4, 2, 0});
  CHECK(places_of(chosen) == Places{2});
  CHECK(chosen[0].weight == 0.5f);
  // Groups {0, 1} and {2, 3}: the best expert stands in the first, the best two in the second.
  ExpertSettings grouped = some(Routing::SoftmaxOfChosen, 4, 2);
  grouped.groups = 2;
  const std::vector<float> logits{5, -9, 3, 2};
  CHECK(places_of(choose_experts(grouped, {}, logits)) == Places{2, 3});
  grouped.best_of_group = true;
  CHECK(places_of(choose_experts(grouped, {}, logits)) == Places{0, 1});
}

TEST_CASE("logits of a router that are large or not finite", "[models][experts]") {
  const float infinite = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const ExpertSettings two = some(Routing::Softmax, 3, 2);
  for (const std::vector<float>& logits :
       {std::vector<float>{0, nan, 1}, std::vector<float>{nan, 0, 1}, std::vector<float>{0, 1, nan}})
    CHECK_THROWS_WITH(choose_experts(two, {}, logits),
                      Catch::Matchers::ContainsSubstring("A router of experts gives NaN"));
  // e^1000 is no float.
  const std::vector<ChosenExpert> large = choose_experts(two, {}, std::vector<float>{1000, 999, -1000});
  CHECK(places_of(large) == Places{0, 1});
  CHECK(std::abs(large[0].weight - 1 / (1 + std::exp(-1.0f))) < 1e-6f);
  const std::vector<ChosenExpert> last =
      choose_experts(some(Routing::Softmax, 3, 3), {}, std::vector<float>{-infinite, 0, 0});
  CHECK(places_of(last) == Places{1, 2, 0});
  CHECK(last[2].weight == 0);
}

}  // namespace attnscope::experts_test
