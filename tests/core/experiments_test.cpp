// Experiments against naive computations: plain loops over plain vectors in float64, over the same seeds; and
// the picture of a value against its measurement.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/experiments/experiment.hpp"
#include "core/experiments/quantities.hpp"
#include "naive_experiments.hpp"
#include "support/csv_reader.hpp"

namespace attnscope::experiments_test {
namespace {

using namespace experiments;
using namespace naive;
using Catch::Approx;

Measured measured(const char* name, double value) {
  const Experiment* const experiment = find(name);
  REQUIRE(experiment != nullptr);
  return experiment->measure(value, {});
}

void check_band(const Band& band, const std::vector<double>& numbers, bool by_median = false) {
  CHECK(band.typical == Approx(by_median ? middle(numbers) : mean(numbers)).epsilon(1e-9));
  CHECK(band.least == Approx(*std::ranges::min_element(numbers)).epsilon(1e-9));
  CHECK(band.greatest == Approx(*std::ranges::max_element(numbers)).epsilon(1e-9));
}

}  // namespace

TEST_CASE("experiments: the table of them is sound", "[experiments]") {
  for (const Experiment& experiment : all()) {
    INFO(experiment.name);
    CHECK(find(experiment.name) == &experiment);
    CHECK(experiment.rest < experiment.values.size());
    CHECK(experiment.seeds >= 1);
    for (std::size_t i = 0; i < experiment.values.size(); ++i)
      CHECK(nearest(experiment, experiment.values[i]) == i);
    const Measured first = experiment.measure(experiment.values.front(), {});
    CHECK(first.size() == experiment.quantities.size());
    for (const Band& band : first) {
      if (std::isnan(band.typical)) continue;
      CHECK(band.least <= band.typical * (1 + 1e-12) + 1e-300);
      CHECK(band.typical <= band.greatest * (1 + 1e-12) + 1e-300);
    }
    std::stop_source stop;
    stop.request_stop();
    CHECK_THROWS_AS(experiment.measure(experiment.values.back(), stop.get_token()), Cancelled);
  }
  CHECK(find("no such thing") == nullptr);
}

TEST_CASE("experiments: what is looked at can be computed", "[experiments]") {
  for (const Experiment& experiment : all())
    for (const double value : experiment.values) {
      INFO(experiment.name << " " << value);
      const Look seen = look(experiment, value, {});
      CHECK(seen.value <= experiment.most_shown);
      CHECK(check(seen.states.a).queries > 0);
      if (seen.states.b) CHECK(check(*seen.states.b).queries > 0);
      CHECK(seen.pictures.a.size() > 0);
    }
}

TEST_CASE("experiments: CSV has every value that is measured", "[experiments]") {
  const Experiment& experiment = *find("scaling");
  std::vector<std::optional<Measured>> points(experiment.values.size());
  points[2] = experiment.measure(experiment.values[2], {});
  const test::CsvReader table(csv(experiment, points));
  REQUIRE(table.rows() == 1);
  CHECK(table.number(0, "value") == 4);
  CHECK(table.number(0, "spread_divided") == (*points[2])[ScalingNumbers::SpreadA].typical);
  CHECK(table.number(0, "spread_divided_least") == (*points[2])[ScalingNumbers::SpreadA].least);
}

TEST_CASE("experiments: why √dₖ, against loops", "[experiments]") {
  using N = ScalingNumbers;
  for (const int d_k : {1, 16, 256}) {
    const Measured out = measured("scaling", d_k);
    std::vector<std::vector<double>> all(N::Count);
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      const Numbers q = drawn(seed, "queries", 64 * d_k), k = drawn(seed, "keys", 64 * d_k),
                    g = drawn(seed, "upstream", 64 * 64);
      for (const bool divided : {true, false}) {
        const std::size_t b = divided ? 0 : 1;
        const double factor = divided ? 1 / std::sqrt(d_k) : 1;
        Numbers logits, largest, entropy, norms, to_queries(64 * static_cast<std::size_t>(d_k));
        for (std::size_t i = 0; i < 64; ++i) {
          Numbers row;
          for (std::size_t j = 0; j < 64; ++j) row.push_back(factor * dot(q, i, k, j, d_k));
          logits.insert(logits.end(), row.begin(), row.end());
          const Numbers w = softmax(row);
          largest.push_back(*std::ranges::max_element(w));
          entropy.push_back(naive::entropy(w) / std::log(64.0));
          double square = 0;
          for (std::size_t j = 0; j < 64; ++j) {  // ∂L/∂s_j = Σ_m g_m ∂w_m/∂s_j
            double slope = 0;
            for (std::size_t m = 0; m < 64; ++m) slope += g[i * 64 + m] * w[m] * ((m == j ? 1 : 0) - w[j]);
            square += slope * slope;
            for (int c = 0; c < d_k; ++c)
              to_queries[i * static_cast<std::size_t>(d_k) + static_cast<std::size_t>(c)] +=
                  slope * factor * k[j * static_cast<std::size_t>(d_k) + static_cast<std::size_t>(c)];
          }
          norms.push_back(std::sqrt(square));
        }
        all[N::SpreadA + b].push_back(spread(logits));
        all[N::LargestA + b].push_back(mean(largest));
        all[N::EntropyA + b].push_back(mean(entropy));
        all[N::GradientA + b].push_back(middle(norms));
        all[N::QueryGradientA + b].push_back(length(to_queries));
        all[N::StillA + b].push_back(
            static_cast<double>(std::ranges::count_if(norms, [](double n) { return n < 1e-6; })) / 64);
      }
    }
    all[N::Root].push_back(std::sqrt(d_k));
    for (std::size_t i = 0; i < N::Count; ++i) {
      INFO("d_k " << d_k << " " << find("scaling")->quantities[i]);
      check_band(out[i], all[i], i == N::GradientA || i == N::GradientB);
    }
  }
}

/// The conclusion of the tutorial.
TEST_CASE("experiments: not divided, score gradients fall away and that of Q does not", "[experiments]") {
  using N = ScalingNumbers;
  const Measured wide = measured("scaling", 1024), narrow = measured("scaling", 1);
  CHECK(wide[N::SpreadB].typical == Approx(32).epsilon(0.03));
  CHECK(wide[N::SpreadA].typical == Approx(1).epsilon(0.03));
  CHECK(wide[N::GradientB].typical < 0.01 * wide[N::GradientA].typical);
  CHECK(wide[N::QueryGradientB].typical > wide[N::QueryGradientA].typical);
  CHECK(narrow[N::SpreadA].typical == narrow[N::SpreadB].typical);  // there is nothing to divide
}

TEST_CASE("experiments: temperature, against loops", "[experiments]") {
  using N = TemperatureNumbers;
  for (const double tau : {0.125, 1.0, 8.0}) {
    const Measured out = measured("temperature", tau);
    std::vector<std::vector<double>> all(N::Count);
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      const Numbers q = drawn(seed, "queries", 64 * 64), k = drawn(seed, "keys", 64 * 64),
                    g = drawn(seed, "upstream", 64 * 64);
      for (const bool capped : {false, true}) {
        const std::size_t b = capped ? 1 : 0;
        Numbers largest, entropy, keys, ratios, norms;
        for (std::size_t i = 0; i < 64; ++i) {
          Numbers row;
          for (std::size_t j = 0; j < 64; ++j) {
            const double score = dot(q, i, k, j, 64) / 8;
            row.push_back((capped ? std::tanh(score) : score) / tau);
          }
          const Numbers w = softmax(row);
          largest.push_back(*std::ranges::max_element(w));
          entropy.push_back(naive::entropy(w) / std::log(64.0));
          keys.push_back(std::exp(naive::entropy(w)));
          ratios.push_back(*std::ranges::max_element(row) - *std::ranges::min_element(row));
          double along = 0, square = 0;
          for (std::size_t j = 0; j < 64; ++j) along += g[i * 64 + j] * w[j];
          for (std::size_t j = 0; j < 64; ++j) square += std::pow(w[j] * (g[i * 64 + j] - along), 2);
          norms.push_back(std::sqrt(square));
        }
        all[N::LargestA + b].push_back(mean(largest));
        all[N::EntropyA + b].push_back(mean(entropy));
        all[N::KeysA + b].push_back(mean(keys));
        all[N::RatioA + b].push_back(std::exp(mean(ratios)));
        all[N::GradientA + b].push_back(middle(norms));
      }
      all[N::BoundB].push_back(std::exp(2 / tau));
    }
    for (std::size_t i = 0; i < N::Count; ++i) {
      INFO("τ " << tau << " " << find("temperature")->quantities[i]);
      check_band(out[i], all[i], i == N::GradientA || i == N::GradientB);
    }
    CHECK(out[N::RatioB].greatest < out[N::BoundB].typical);
  }
}

TEST_CASE("experiments: dilution, against loops", "[experiments]") {
  using N = DilutionNumbers;
  for (const int n : {10, 1000, 30000}) {
    const Measured out = measured("dilution", n);
    std::vector<std::vector<double>> all(N::Count);
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Numbers others = drawn(seed, "distractors", static_cast<std::size_t>(n - 1));
      for (const bool scaled : {false, true}) {
        const std::size_t b = scaled ? 1 : 0;
        const double factor = scaled ? std::log(n) / std::log(10) : 1;
        Numbers row{6 * factor};
        for (const double other : others) row.push_back(other * factor);
        const Numbers w = softmax(row);
        all[N::NeedleA + b].push_back(w[0]);
        all[N::EntropyA + b].push_back(naive::entropy(w) / std::log(n));
        all[N::NextA + b].push_back(w[0] / *std::max_element(w.begin() + 1, w.end()));
        all[N::MarginA + b].push_back(6 * factor);
      }
      all[N::Equal].push_back(std::exp(6) / (std::exp(6) + n - 1));
      all[N::Half].push_back(std::log(n - 1));
    }
    for (std::size_t i = 0; i < N::Count; ++i) {
      INFO("n " << n << " " << find("dilution")->quantities[i]);
      check_band(out[i], all[i], i == N::NextA || i == N::NextB);
    }
  }
  // The key has half of the weight at this margin.
  CHECK(1 / (1 + 999 * std::exp(-measured("dilution", 1000)[N::Half].typical)) == Approx(0.5));
  CHECK(measured("dilution", 1e5)[N::NeedleA].typical < 0.01);
  CHECK(measured("dilution", 1e5)[N::NeedleB].typical > 0.9);
}

TEST_CASE("experiments: grouped heads, against loops", "[experiments]") {
  using N = GroupedNumbers;
  for (const std::size_t groups : {8, 4, 1}) {
    const Measured out = measured("grouped", static_cast<double>(groups));
    std::vector<std::vector<double>> all(N::Count);
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
      for (const bool alike : {false, true}) {
        const double share = alike ? 0.9 : 0;
        const Numbers x = drawn(seed, "tokens", 64 * 64);
        const auto heads = [&](const std::string& what, double common) {
          std::vector<Numbers> made;
          const Numbers shared = drawn(seed, what + " shared", 64 * 8);
          for (int h = 0; h < 8; ++h) {
            Numbers w = drawn(seed, what + std::to_string(h), 64 * 8);
            for (std::size_t i = 0; i < w.size(); ++i)
              w[i] = (std::sqrt(common) * shared[i] + std::sqrt(1 - common) * w[i]) / 8;
            made.push_back(product(x, w, 64, 64, 8));
          }
          return made;
        };
        const auto q = heads("queries", 0), k = heads("keys", share), v = heads("values", share);
        const auto grouped_mean = [&](const std::vector<Numbers>& of, std::size_t head) {
          const std::size_t each = 8 / groups, first = head / each * each;
          Numbers sum(of[0].size());
          for (std::size_t i = first; i < first + each; ++i)
            for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += of[i][c] / static_cast<double>(each);
          return sum;
        };
        double off = 0, whole = 0, moved = 0;
        for (std::size_t h = 0; h < 8; ++h) {
          const Attended one = attended(q[h], k[h], v[h], 64, 8, true),
                         other = attended(q[h], grouped_mean(k, h), grouped_mean(v, h), 64, 8, true);
          for (std::size_t i = 0; i < one.output.size(); ++i) {
            off += std::pow(one.output[i] - other.output[i], 2);
            whole += std::pow(one.output[i], 2);
          }
          for (std::size_t i = 0; i < one.weights.size(); ++i)
            moved += std::abs(one.weights[i] - other.weights[i]) / 2 / 64 / 8;
        }
        all[alike ? N::ErrorAlike : N::ErrorB].push_back(std::sqrt(off / whole));
        all[alike ? N::DistanceAlike : N::DistanceB].push_back(moved);
      }
    for (const std::size_t i : {N::ErrorB, N::ErrorAlike, N::DistanceB, N::DistanceAlike}) {
      INFO(groups << " groups, " << find("grouped")->quantities[i]);
      if (groups == 8)
        CHECK(out[i].greatest < 1e-12);
      else
        check_band(out[i], all[i]);
    }
    CHECK(out[N::BytesB].typical == 2.0 * 2 * 8 * static_cast<double>(groups));
    CHECK(out[N::ParametersB].typical == 2.0 * 64 * 8 * static_cast<double>(groups));
  }
}

}  // namespace attnscope::experiments_test
