// Masks that are given cell by cell, in the sweep: skipping work in masked blocks changes no bit of a result.
// streaming_sweep_test and streaming_tile_test compare them with the float64 oracle.
#include <algorithm>
#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "core/compare.hpp"
#include "core/streaming/sweep.hpp"
#include "core/streaming/tile.hpp"
#include "core/streaming_expected.hpp"

namespace attnscope::streaming_masks_test {
namespace {

using streaming_cases::Case;

constexpr float hidden = -std::numeric_limits<float>::infinity();

/// Cells [heads][queries][keys] of sees(head, query, key).
template <class Sees>
void mask(Case& c, bool boolean, bool added, std::int64_t heads, Sees sees) {
  AttentionProblem& p = c.problem;
  c.allowed.clear();
  c.additive.clear();
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t i = 0; i < p.queries; ++i)
      for (std::int64_t j = 0; j < p.keys; ++j) {
        const bool seen = sees(h, i, j);
        if (boolean) c.allowed.push_back(static_cast<std::uint8_t>(seen ? 1 + j % 255 : 0));
        if (added) c.additive.push_back(seen ? 0.0f : hidden);
      }
  p.allowed = {c.allowed, heads};
  p.additive = {c.additive, heads};
}

bool same_numbers(const Sweep& a, const Sweep& b) {
  const auto same = [](const auto& x, const auto& y) {
    return std::equal(x.values().begin(), x.values().end(), y.values().begin(), y.values().end());
  };
  return same(a.output, b.output) && same(a.log_sum_exp, b.log_sum_exp) && same(a.entropy, b.entropy) &&
         same(a.largest, b.largest) && same(a.received, b.received) && same(a.mean, b.mean) &&
         same(a.max, b.max) && a.strongest == b.strongest;
}

std::vector<SweepRequest> requests() {
  std::vector<SweepRequest> all(5);
  for (SweepRequest& request : all) request.received = request.strongest = true;
  all[1].picture = PooledCells{1, 1};
  all[2].picture = PooledCells{1, 4};
  all[3].picture = PooledCells{32, 16};
  all[4].picture = PooledCells{64, 128};
  return all;
}

}  // namespace

TEST_CASE("A mask that says what causal says gives the same numbers, boolean, added and both") {
  ThreadPool one(1), three(3);
  samples::Random random(21);
  for (const std::int64_t n : {23, 500}) {
    const auto c = streaming_cases::plain_case(random, {2, 1, n, n, 24, 20});
    for (const SweepRequest& request : requests())
      for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
        INFO(kernels->name << ", n " << n << ", cells of "
                           << request.picture.value_or(PooledCells{0, 0}).keys_per_cell);
        mask(*c, false, false, 1, [](auto...) { return true; });
        c->problem.causal = true;
        const Sweep expected = sweep(c->problem, request, Work{one, {}}, nullptr, kernels);
        c->problem.causal = false;
        const Sweep full = sweep(c->problem, request, Work{one, {}}, nullptr, kernels);
        for (const auto& [boolean, added] : {std::pair(true, false), {false, true}, {true, true}}) {
          mask(*c, boolean, added, added ? 2 : 1, [](auto, auto i, auto j) { return j <= i; });
          CHECK(same_numbers(sweep(c->problem, request, Work{three, {}}, nullptr, kernels), expected));
          // A mask that hides nothing equals no mask.
          mask(*c, boolean, added, 1, [](auto...) { return true; });
          CHECK(same_numbers(sweep(c->problem, request, Work{three, {}}, nullptr, kernels), full));
        }
      }
  }
}

TEST_CASE(
    "A row's numbers are the same bits whichever rows share its blocks, also where masks leave blocks out") {
  ThreadPool one(1), three(3);
  samples::Random random(22);
  const auto c = streaming_cases::plain_case(random, {1, 1, 260, 700, 17, 19});
  // Rows of four kinds: no key, the first keys, a band far from them, every third key.
  const auto sees = [](auto, auto i, auto j) {
    return i % 4 == 1 ? j < 10 + i : i % 4 == 2 ? j > 400 + i / 2 && j < 650 : i % 4 == 3 && j % 3 == 0;
  };
  for (const auto& [boolean, added] : {std::pair(true, false), {false, true}, {true, true}}) {
    mask(*c, boolean, added, 1, sees);
    if (added)
      for (float& x : c->additive) x += static_cast<float>(random.normal());
    for (const streaming::Kernels* kernels : streaming_cases::all_kernels())
      for (const std::int64_t kind : {0, 1, 2, 3}) {
        INFO(kernels->name << ", rows of kind " << kind << ", boolean " << boolean << ", added " << added);
        SweepRequest all, some;
        all.strongest = some.strongest = true;
        all.picture = some.picture = PooledCells{1, 32};
        some.rows = {kind, 260, 4};
        const Sweep of_all = sweep(c->problem, all, Work{three, {}}, nullptr, kernels);
        const Sweep of_some = sweep(c->problem, some, Work{one, {}}, nullptr, kernels);
        bool same = true;
        for (std::int64_t row = kind, at = 0; row < 260; row += 4, ++at) {
          const auto r = static_cast<std::size_t>(row), s = static_cast<std::size_t>(at);
          const auto equal = [&](const Tensor& a, const Tensor& b, std::int64_t wide) {
            return std::equal(a.data() + row * wide, a.data() + (row + 1) * wide, b.data() + at * wide);
          };
          same &= equal(of_all.output, of_some.output, 19) && equal(of_all.mean, of_some.mean, 22) &&
                  equal(of_all.max, of_some.max, 22) && equal(of_all.entropy, of_some.entropy, 1) &&
                  of_all.log_sum_exp.data()[row] == of_some.log_sum_exp.data()[at] &&
                  of_all.strongest[r] == of_some.strongest[s];
        }
        CHECK(same);
      }
  }
}

TEST_CASE("Masks of bands and blocks are what the oracle says, with biases and caps as well") {
  ThreadPool pool(2);
  samples::Random random(23);
  for (int trial = 0; trial < 12; ++trial) {
    const std::int64_t keys = random.between(180, 640);
    const auto c = streaming_cases::plain_case(random, {2, 2, random.between(30, 150), keys, 16, 16});
    const std::int64_t width = random.between(1, 300), block = random.between(1, 250);
    const bool boolean = trial % 3 != 0, added = trial % 3 != 1;
    mask(*c, boolean, added, trial % 2 == 0 ? 1 : 2, [&](auto h, auto i, auto j) {
      return h == 0 ? std::abs(2 * i - j) < width : i * 3 / block == j / block;
    });
    if (trial % 4 == 3)
      for (float& x : c->additive) x += static_cast<float>(random.normal());
    if (trial % 5 == 4) c->problem.soft_cap = 3;
    if (trial % 6 == 5)
      for (std::int64_t i = 0; i < c->problem.queries + keys - 1; ++i)
        c->distance_bias.push_back(static_cast<float>(random.normal()));
    c->connect();
    SweepRequest request;
    request.received = request.strongest = true;
    request.picture =
        PooledCells{std::int64_t{1} << random.between(0, 6), std::int64_t{1} << random.between(0, 7)};
    const auto expected = streaming_cases::expected_of(*c, request, 0, 2);
    for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
      INFO(kernels->name << ", trial " << trial << ": " << c->description());
      CHECK(streaming_cases::difference(sweep(c->problem, request, Work{pool, {}}, nullptr, kernels),
                                        expected, request) == "");
    }
  }
}

}  // namespace attnscope::streaming_masks_test
