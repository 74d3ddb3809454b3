// Experiments on eviction, cost, sinks, patterns and contributions against loops.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/experiments/experiment.hpp"
#include "core/experiments/quantities.hpp"
#include "naive_experiments.hpp"

namespace attnscope::experiments_more_test {
namespace {

using namespace experiments;
using namespace naive;
using Catch::Approx;

Measured measured(const char* name, double value) { return find(name)->measure(value, {}); }

void check_typical(const Measured& out, std::size_t quantity, const std::vector<double>& numbers,
                   bool by_median = false) {
  INFO("quantity " << quantity);
  CHECK(out[quantity].typical ==
        Approx(by_median ? middle(numbers) : mean(numbers)).epsilon(1e-8).margin(1e-14));
  CHECK(out[quantity].least == Approx(*std::ranges::min_element(numbers)).epsilon(1e-8).margin(1e-14));
}

/// Σ_j w_j v_j over the given keys, w normalised over them; v `width` wide.
Numbers mixed(const Numbers& w, const std::vector<std::size_t>& keys, const Numbers& v, std::size_t width) {
  double sum = 0;
  for (const std::size_t j : keys) sum += w[j];
  Numbers out(width);
  for (const std::size_t j : keys)
    for (std::size_t c = 0; c < width; ++c) out[c] += w[j] / sum * v[j * width + c];
  return out;
}
double distance(const Numbers& a, const Numbers& b) {
  Numbers off;
  for (std::size_t i = 0; i < a.size(); ++i) off.push_back(a[i] - b[i]);
  return length(off);
}
std::vector<std::size_t> up_to(std::size_t i) {
  std::vector<std::size_t> keys;
  for (std::size_t j = 0; j <= i; ++j) keys.push_back(j);
  return keys;
}

}  // namespace

TEST_CASE("experiments: the cache and what evicts, against loops", "[experiments]") {
  using N = CacheNumbers;
  constexpr std::size_t n = 128;
  const Measured out = measured("cache", n);
  std::vector<std::vector<double>> all(N::Count);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Numbers q = drawn(seed, "queries", n * 32), k = drawn(seed, "keys", n * 32);
    Numbers v = drawn(seed, "values", n * 32);
    for (std::size_t c = 0; c < 32; ++c) v[c] *= 0.1;
    Numbers received(n);
    std::array<double, 3> error{}, mass{};
    for (std::size_t i = 0; i < n; ++i) {
      Numbers row;
      for (std::size_t j = 0; j <= i; ++j) {
        double score = dot(q, i, k, j, 32) / std::sqrt(32);
        if (j == 0) score += 4;
        if (j > 0) score -= static_cast<double>(i - j) / 32;
        if (j % 32 == 16) score += 2.5;
        row.push_back(score);
      }
      const Numbers w = softmax(row);
      for (std::size_t j = 0; j <= i; ++j) received[j] += w[j];
      if (i < n - 8) continue;
      std::array<std::vector<std::size_t>, 3> kept;
      for (std::size_t j = 0; j <= i; ++j) {
        if (j + 64 > i) kept[0].push_back(j);
        if (j < 4 || j + 60 > i) kept[1].push_back(j);
        if (j + 32 > i) kept[2].push_back(j);
      }
      std::vector<std::size_t> earlier = up_to(i - 32);
      std::ranges::stable_sort(earlier,
                               [&](std::size_t a, std::size_t b) { return received[a] > received[b]; });
      kept[2].insert(kept[2].end(), earlier.begin(), earlier.begin() + 32);
      const Numbers whole = mixed(w, up_to(i), v, 32);
      for (std::size_t way = 0; way < 3; ++way) {
        error[way] += distance(mixed(w, kept[way], v, 32), whole) / length(whole) / 8;
        for (const std::size_t j : kept[way]) mass[way] += w[j] / 8;
      }
    }
    for (std::size_t way = 0; way < 3; ++way) {
      all[N::WindowError + way].push_back(error[way]);
      all[N::WindowMass + way].push_back(mass[way]);
    }
  }
  for (std::size_t quantity = N::WindowError; quantity < N::Count; ++quantity)
    check_typical(out, quantity, all[quantity]);
  // A token's keys and values: 2 · 512 numbers of two bytes.
  CHECK(out[N::BytesB].typical == 128.0 * 2 * 512 * 2);
  CHECK(out[N::BytesKept].typical == 64.0 * 2 * 512 * 2);
  // Projections: 4 · 2 · 512² for each token; scores and mix: 2 · 2 · 512 for each pair. Softmax adds little.
  CHECK(out[N::FlopsB].typical == Approx(8. * 512 * 512 + 4. * 512 * n).epsilon(0.01));
  CHECK(out[N::FlopsA].typical == Approx(n * (8. * 512 * 512 + 4. * 512 * n)).epsilon(0.01));
  CHECK(measured("cache", 64)[N::WindowError].greatest < 1e-12);  // nothing is evicted
}

TEST_CASE("experiments: cost is counted by hand and outputs agree", "[experiments]") {
  using N = CostNumbers;
  const Measured out = measured("cost", 256);
  CHECK(out[N::Flops].typical == Approx(4. * 256 * 256 * 64).epsilon(0.05));
  CHECK(measured("cost", 512)[N::Flops].typical / out[N::Flops].typical == Approx(4).epsilon(0.001));
  CHECK(out[N::HeldA].typical >= 256. * 256 * 4);
  CHECK(out[N::HeldB].typical <= 256. * 16);
  CHECK(out[N::BytesA].typical > out[N::BytesB].typical);
  CHECK(out[N::Difference].typical < 1e-5);
  CHECK(out[N::MillisecondsA].least > 0);
  CHECK(out[N::MillisecondsB].least > 0);
  CHECK(std::isnan(measured("cost", 4096)[N::MillisecondsA].typical));
}

TEST_CASE("experiments: sinks, against loops", "[experiments]") {
  using N = SinkNumbers;
  const Measured out = measured("sinks", 5);
  std::vector<std::vector<double>> all(N::Count);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Numbers q = drawn(seed, "queries", 64 * 32), k = drawn(seed, "keys", 64 * 32);
    Numbers v = drawn(seed, "values", 64 * 32);
    for (std::size_t c = 0; c < 32; ++c) v[c] *= 0.1;
    Numbers sums(N::Count);
    for (std::size_t i = 1; i < 64; ++i) {
      Numbers scores;
      for (std::size_t j = 0; j <= i; ++j) scores.push_back(dot(q, i, k, j, 32) / std::sqrt(32));
      Numbers before;
      for (std::size_t way = 0; way < 4; ++way) {
        // The key with weight but without contribution comes first.
        Numbers logits{way == 0 ? scores[0] + 5 : way == 1 ? -INFINITY : way == 2 ? 0 : 5.0};
        logits.insert(logits.end(), scores.begin() + 1, scores.end());
        const Numbers w = softmax(logits);
        Numbers o(32);
        for (std::size_t c = 0; c < 32; ++c)
          for (std::size_t j = way == 0 ? 0 : 1; j <= i; ++j) o[c] += w[j] * v[j * 32 + c];
        if (way == 0) before = o;
        sums[N::NowhereA + way] += w[0] / 63;
        sums[N::LargestA + way] += *std::max_element(w.begin() + 1, w.end()) / 63;
        sums[N::LengthA + way] += length(o) / 63;
        if (way > 0) sums[N::ChangeB + way - 1] += distance(o, before) / length(before) / 63;
      }
    }
    for (std::size_t quantity = 0; quantity < N::Count; ++quantity) all[quantity].push_back(sums[quantity]);
  }
  for (std::size_t quantity = 0; quantity < N::Count; ++quantity) check_typical(out, quantity, all[quantity]);
  CHECK(out[N::ChangeSink].typical < 0.5 * out[N::ChangeB].typical);
}

TEST_CASE("experiments: sparse patterns, against loops", "[experiments]") {
  using N = SparseNumbers;
  constexpr std::size_t n = 256, w = 16;
  const Measured out = measured("sparse", w);
  std::vector<std::vector<double>> all(N::Count);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Numbers q = drawn(seed, "queries", n * 32), k = drawn(seed, "keys", n * 32),
                  v = drawn(seed, "values", n * 32);
    Numbers sums(N::Count);
    for (std::size_t i = 0; i < n; ++i) {
      Numbers row, linear;
      for (std::size_t j = 0; j <= i; ++j) {
        row.push_back(dot(q, i, k, j, 32) / std::sqrt(32) - static_cast<double>(i - j) / 16);
        double product = 0;
        for (std::size_t c = 0; c < 32; ++c) {
          const auto feature = [](double x) { return x > 0 ? x + 1 : std::exp(x); };
          product += feature(q[i * 32 + c]) * feature(k[j * 32 + c]);
        }
        linear.push_back(product);
      }
      const Numbers weights = softmax(row);
      const Numbers whole = mixed(weights, up_to(i), v, 32);
      std::array<std::vector<std::size_t>, 4> kept;
      for (std::size_t j = 0; j <= i; ++j) {
        if (i - j < w) kept[0].push_back(j);
        if ((i - j) % (n / w) == 0) kept[1].push_back(j);
        if (i / (w - 4) == j / (w - 4) || j < 4) kept[2].push_back(j);
      }
      kept[3] = up_to(i);
      std::ranges::sort(kept[3], [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
      const std::size_t best = kept[3].front();
      if (kept[3].size() > w) kept[3].resize(w);
      for (std::size_t way = 0; way < 4; ++way) {
        for (const std::size_t j : kept[way]) sums[N::MassWindow + way] += weights[j] / n;
        sums[N::ErrorWindow + way] += distance(mixed(weights, kept[way], v, 32), whole) / length(whole) / n;
        if (way < 3 && std::ranges::find(kept[way], best) != kept[way].end())
          sums[N::FoundWindow + way] += 1. / n;
      }
      sums[N::ErrorLinear] += distance(mixed(linear, up_to(i), v, 32), whole) / length(whole) / n;
      sums[N::PairsB] += static_cast<double>(kept[0].size());
      sums[N::PairsA] += static_cast<double>(i + 1);
    }
    for (std::size_t quantity = 0; quantity < N::Count; ++quantity) all[quantity].push_back(sums[quantity]);
  }
  for (std::size_t quantity = 0; quantity < N::Count; ++quantity) check_typical(out, quantity, all[quantity]);
  const Measured whole = measured("sparse", 256);
  CHECK(whole[N::ErrorWindow].greatest < 1e-12);
}

TEST_CASE("experiments: weight and contribution, against loops", "[experiments]") {
  using N = ContributionNumbers;
  const Measured out = measured("contribution", 0.125);
  std::vector<std::vector<double>> all(N::Count);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Numbers q = drawn(seed, "queries", 48 * 32), k = drawn(seed, "keys", 48 * 32);
    Numbers v = drawn(seed, "values", 48 * 32), w_o = drawn(seed, "output", 32 * 32);
    for (std::size_t c = 0; c < 32; ++c) v[c] *= 0.125;
    for (double& number : w_o) number /= std::sqrt(32);
    const Numbers after = product(v, w_o, 48, 32, 32);
    Numbers sums(N::Count);
    for (std::size_t i = 0; i < 48; ++i) {
      Numbers row;
      for (std::size_t j = 0; j < 48; ++j)
        row.push_back(dot(q, i, k, j, 32) / std::sqrt(32) + (j == 0 ? 4 : 0));
      const Numbers weights = softmax(row);
      Numbers adds, output(32);
      for (std::size_t j = 0; j < 48; ++j) {
        Numbers one;
        for (std::size_t c = 0; c < 32; ++c) {
          one.push_back(weights[j] * after[j * 32 + c]);
          output[c] += one.back();
        }
        adds.push_back(length(one));
      }
      const auto half = [](Numbers numbers) {
        std::sort(numbers.rbegin(), numbers.rend());
        double whole = 0, sum = 0;
        for (const double number : numbers) whole += number;
        std::size_t count = 0;
        while (sum < whole / 2) sum += numbers[count++];
        return static_cast<double>(count);
      };
      double whole = 0, top = 0;
      for (const double number : adds) whole += number;
      for (std::size_t j = 0; j < 48; ++j) top += (weights[j] - mean(weights)) * (adds[j] - mean(adds)) / 48;
      std::size_t next = 1;
      for (std::size_t j = 1; j < 48; ++j) next = weights[j] > weights[next] ? j : next;
      sums[N::WeightA] += weights[0] / 48;
      sums[N::ShareB] += adds[0] / whole / 48;
      sums[N::HalfA] += half(weights) / 48;
      sums[N::HalfB] += half(adds) / 48;
      sums[N::Correlation] += top / spread(weights) / spread(adds) / 48;
      sums[N::RemovedB] += adds[0] / length(output) / 48;
      sums[N::RemovedA] += adds[next] / length(output) / 48;
    }
    for (std::size_t quantity = 0; quantity < N::Count; ++quantity) all[quantity].push_back(sums[quantity]);
  }
  for (std::size_t quantity = 0; quantity < N::Count; ++quantity) check_typical(out, quantity, all[quantity]);
  CHECK(measured("contribution", 0)[N::ShareB].greatest == 0);  // a bright column with no contribution
}

}  // namespace attnscope::experiments_more_test
