// The strongest weights of rows, against the definition: sort, add up, stop.
#include "core/analysis/kept_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include <catch2/catch_test_macros.hpp>

namespace attnscope::kept_weights_test {

namespace {

/// The definition: sort, add up, stop.
std::set<std::pair<std::int64_t, float>> naive_row(const std::vector<float>& row,
                                                   const std::vector<std::uint8_t>& seen, double mass) {
  std::vector<std::pair<float, std::int64_t>> sorted;
  double sum = 0, reached = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (seen[j] == 0 || !(row[j] > 0) || !std::isfinite(row[j])) continue;
    sorted.emplace_back(-row[j], j);
    sum += static_cast<double>(row[j]);
  }
  std::sort(sorted.begin(), sorted.end());
  std::set<std::pair<std::int64_t, float>> kept;
  for (const auto& [weight, key] : sorted) {
    if (reached >= mass * sum * (1 - 1e-12)) break;
    kept.insert({key, -weight});
    reached -= static_cast<double>(weight);
  }
  return kept;
}

}  // namespace

TEST_CASE("the strongest keys of each query are kept until the mass is reached") {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const auto rows = static_cast<std::int64_t>(1 + random() % 6),
               keys = static_cast<std::int64_t>(1 + random() % 40);
    std::vector<float> values;
    std::vector<std::vector<std::uint8_t>> seen(static_cast<std::size_t>(rows));
    for (auto& row : seen) {
      for (std::int64_t j = 0; j < keys; ++j) {
        const auto which = random() % 12;
        constexpr float odd[]{0, std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity(), 0.25f};
        values.push_back(which < 4 ? odd[which] : static_cast<float>(random() % 1000) / 1000);
        row.push_back(random() % 4 != 0);
      }
    }
    const double mass = static_cast<double>(1 + random() % 10) / 10;
    const std::int64_t first = rows > 2 ? 1 : 0;
    const auto see = [&](std::int64_t query, std::span<std::uint8_t> out) {
      std::copy(seen[static_cast<std::size_t>(query)].begin(), seen[static_cast<std::size_t>(query)].end(),
                out.begin());
    };
    const KeptWeights kept =
        keep_strongest({values.data(), rows, keys}, see, {static_cast<float>(mass), first, rows});
    std::int64_t allowed = 0;
    for (std::int64_t i = first; i < rows; ++i) {
      const std::vector<float> row(values.begin() + i * keys, values.begin() + (i + 1) * keys);
      const auto& mask = seen[static_cast<std::size_t>(i)];
      allowed += std::count(mask.begin(), mask.end(), 1);
      std::set<std::pair<std::int64_t, float>> got;
      std::int64_t last = -1;
      for (const KeptWeight& line : kept.kept) {
        if (line.query != i) continue;
        CHECK(line.key > last);
        last = line.key;
        got.insert({line.key, line.weight});
      }
      INFO("round " << round << ", row " << i);
      CHECK((got == naive_row(row, mask, static_cast<double>(static_cast<float>(mass)))));
    }
    CHECK(kept.allowed == allowed);
  }
}

TEST_CASE("of equal weights the earlier keys are kept, and all of them for the whole mass") {
  const std::vector<float> values(8, 0.125f);
  const auto see = [](std::int64_t, std::span<std::uint8_t> seen) {
    std::fill(seen.begin(), seen.end(), std::uint8_t{1});
  };
  const auto kept = [&](float mass) { return keep_strongest({values.data(), 1, 8}, see, {mass, 0, 1}).kept; };
  REQUIRE(kept(0.5f).size() == 4);
  CHECK(kept(0.5f).back() == KeptWeight{0, 3, 0.125f});
  CHECK(kept(0.51f).size() == 5);
  CHECK(kept(1).size() == 8);
}

}  // namespace attnscope::kept_weights_test
