// The strongest weights of rows, against the definition: sort, add up, stop; and the lines that are drawn of
// them, against a loop over all.
#include "core/analysis/kept_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"

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

namespace {

/// Heads of few different weights, so that many are equal.
std::vector<std::shared_ptr<const KeptWeights>> heads_with_ties(std::mt19937& random, std::int32_t queries,
                                                                std::int32_t keys) {
  std::vector<std::shared_ptr<const KeptWeights>> heads;
  for (int h = 0; h < 3; ++h) {
    KeptWeights made;
    made.allowed = static_cast<std::int64_t>(random() % 500);
    for (std::int32_t query = 0; query < queries; ++query)
      for (std::int32_t key = 0; key < keys; ++key)
        if (random() % 3 != 0) made.kept.push_back({query, key, static_cast<float>(random() % 12) / 16});
    heads.push_back(std::make_shared<const KeptWeights>(std::move(made)));
  }
  return heads;
}

/// The same by a loop over every weight of every head.
KeptLines naive_lines(const std::vector<std::shared_ptr<const KeptWeights>>& heads, std::int32_t first_head,
                      const LineRequest& request) {
  KeptLines all;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    all.kept += std::ssize(heads[h]->kept);
    all.allowed += heads[h]->allowed;
    for (const KeptWeight& weight : heads[h]->kept) {
      if (request.query && weight.query != *request.query) continue;
      if (request.key && weight.key != *request.key) continue;
      if (!request.queries.has(weight.query) && !request.keys.has(weight.key)) {
        ++all.scrolled_out;
      } else if (weight.weight < request.faintest) {
        ++all.faint;
      } else {
        all.lines.push_back({weight, first_head + static_cast<std::int32_t>(h)});
      }
    }
  }
  const auto is_fainter = [](const KeptLine& a, const KeptLine& b) { return a.of.weight < b.of.weight; };
  if (all.lines.size() > request.most) {
    const auto cut = all.lines.end() - static_cast<std::ptrdiff_t>(request.most);
    std::nth_element(all.lines.begin(), cut, all.lines.end(), is_fainter);
    all.too_many = cut - all.lines.begin();
    all.lines.erase(all.lines.begin(), cut);
  }
  std::sort(all.lines.begin(), all.lines.end(), is_fainter);
  return all;
}

}  // namespace

TEST_CASE("lines are chosen among kept weights as by a loop over all, in the same order") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const auto queries = static_cast<std::int32_t>(1 + random() % 30),
               keys = static_cast<std::int32_t>(1 + random() % 30);
    const auto heads = heads_with_ties(random, queries, keys);
    const auto some = [&](std::int32_t count) {
      const auto first = static_cast<std::int64_t>(random()) % count;
      return LineRequest::Indices{first, first + static_cast<std::int64_t>(random()) % (count - first + 1)};
    };
    LineRequest request{.queries = some(queries),
                        .keys = some(keys),
                        .faintest = static_cast<float>(random() % 4) / 16,
                        .most = random() % 400};
    if (random() % 3 == 0) request.query = static_cast<std::int64_t>(random()) % queries;
    if (!request.query && random() % 2 == 0) request.key = static_cast<std::int64_t>(random()) % keys;
    const KeptLines chosen = choose_lines(heads, 4, request), expected = naive_lines(heads, 4, request);
    INFO("round " << round);
    CHECK(chosen.lines == expected.lines);
    CHECK(chosen.kept == expected.kept);
    CHECK(chosen.allowed == expected.allowed);
    CHECK(chosen.scrolled_out == expected.scrolled_out);
    CHECK(chosen.faint == expected.faint);
    CHECK(chosen.too_many == expected.too_many);
  }
}

TEST_CASE("choosing lines can be stopped") {
  std::mt19937 random(5);
  const auto heads = heads_with_ties(random, 10, 10);
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(choose_lines(heads, 0, {.queries = {0, 10}, .most = 5}, stop.get_token()), Cancelled);
}

}  // namespace attnscope::kept_weights_test
