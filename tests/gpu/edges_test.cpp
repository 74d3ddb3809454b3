// Sweeps and cells on an emulated card where it is easy to be wrong: scores far from zero, equal scores, NaN,
// rows with no key or one, edges of masks beside edges of tiles. Without the barrier of stale work.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "core/compare.hpp"
#include "core/streaming_expected.hpp"
#include "gpu/emulated_sweeps.hpp"

namespace attnscope::edges_test {
namespace {

using emulator::Setup;
using emulator::width;
using streaming_cases::Case;
using streaming_cases::Sizes;

SweepRequest everything(std::int64_t rows_per_cell, std::int64_t keys_per_cell) {
  SweepRequest request;
  request.received = request.strongest = true;
  request.picture = PooledCells{rows_per_cell, keys_per_cell};
  return request;
}

std::string named(const Setup& setup) {
  const bool is_float = setup.arithmetic == gpu::Arithmetic::Float;
  return fmt::format("{}, {}",
                     setup.groups ? "warpgroups"
                     : is_float   ? "float32"
                                  : "bfloat16",
                     setup.schedule == emulator::Schedule::Lazy ? "lazy" : "adversarial");
}

/// Scores and queries must be exact in both arithmetics.
void check_sweep(const Case& c, const SweepRequest& request, const Setup& setup) {
  streaming_cases::Tolerances tolerances;
  // Weights are rounded to 2^-9 before they meet the values.
  if (setup.arithmetic == gpu::Arithmetic::Bfloat) tolerances.output = 4e-3;
  INFO(named(setup) << ": " << c.description());
  REQUIRE(streaming_cases::difference(emulator::sweep(c.problem, request, setup),
                                      expected_of(c, request, 0, c.problem.heads), request,
                                      tolerances) == "");
}

oracle::Numbers weights_of(const Case& c) {
  oracle::Numbers made;
  const oracle::RowProblem problem = c.in_oracle();
  for (std::size_t i = 0; i < problem.queries; ++i) {
    const oracle::RowAnswer row = oracle::attend_row(problem, 0, i);
    made.insert(made.end(), row.weights.begin(), row.weights.end());
  }
  return made;
}

}  // namespace

TEST_CASE("Scores of 3000 and of -3000 cost no accuracy: shifts are what sums are relative to", "[edges]") {
  for (const float offset : {3008.f, -3008.f})
    for (const Setup& setup : emulator::setups)
      for (const PooledCells& cells : {PooledCells{16, 64}, PooledCells{4, 8}, PooledCells{128, 16}}) {
        samples::Random random(11);
        const auto c = emulator::in_quarters(random, {2, 1, 140, 200, width(setup, 8), 8}, offset);
        c->problem.causal = true;
        c->problem.offset = 40;
        c->problem.left = 90;
        INFO("offset " << offset << ", cells of " << cells.rows_per_cell);
        check_sweep(*c, everything(cells.rows_per_cell, cells.keys_per_cell), setup);
        REQUIRE(compare::difference(emulator::tile(c->problem, {}, setup), weights_of(*c), 5e-6) == "");
        c->problem.causal = false;  // tiles that are seen whole
        c->problem.left = -1;
        check_sweep(*c, everything(cells.rows_per_cell, cells.keys_per_cell), setup);
      }
}

TEST_CASE("Of equal scores the first key is the strongest, in a thread, a row and over tiles", "[edges]") {
  for (const std::int64_t different : {1, 2, 9, 33, 70})
    for (const Setup& setup : emulator::setups) {
      samples::Random random(3);
      const std::int64_t d = width(setup, 16);
      const auto c = emulator::in_quarters(random, {1, 1, 70, 200, d, 4}, 0);
      const auto size = static_cast<std::size_t>(d);
      for (std::size_t i = 0; i < c->k.size(); ++i)
        c->k[i] = c->k[i / size % static_cast<std::size_t>(different) * size + i % size];
      c->problem.left = 120;
      SweepRequest request;
      request.strongest = true;
      const Sweep found = emulator::sweep(c->problem, request, setup);
      const oracle::Numbers weights = weights_of(*c);
      for (std::int64_t row = 0; row < 70; ++row) {
        const auto from = weights.begin() + row * 200;
        INFO(named(setup) << ", row " << row);
        REQUIRE(found.strongest[static_cast<std::size_t>(row)] == std::max_element(from, from + 200) - from);
      }
    }
}

TEST_CASE("Edges of masks one key before, at and behind edges of tiles", "[edges]") {
  for (const Setup& setup : emulator::setups)
    for (const std::int64_t keys : {64, 129})
      for (const std::int64_t step : {1, 64}) {
        samples::Random random(static_cast<std::uint64_t>(keys));
        // With a step of 64, first and last rows of blocks are far apart.
        const auto c =
            emulator::in_quarters(random, {1, 1, step == 1 ? 130 : 300, keys, width(setup, 8), 8}, 0);
        SweepRequest request = everything(2, 64);
        request.rows.step = step;
        for (const std::int64_t offset : {-64, -1, 0, 1, 2, 62, 63}) {
          c->problem.causal = true;
          c->problem.offset = offset;
          check_sweep(*c, request, setup);
          c->problem.causal = false;
          c->problem.left = 0;
          check_sweep(*c, request, setup);
          c->problem.left = -1;
        }
      }
}

TEST_CASE("Heads of a request follow their own pattern, not that of the first heads", "[edges]") {
  for (const Setup& setup : emulator::setups)
    for (const int first : {0, 1}) {
      samples::Random random(21);
      const auto c = emulator::in_quarters(random, {2, 1, 130, 140, width(setup, 8), 8}, 0);
      c->problem.causal = true;
      c->problem.patterned = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(1 - first)};
      SweepRequest request = everything(2, 64);
      request.first_head = 1;
      INFO(named(setup) << ", first " << first);
      streaming_cases::Tolerances tolerances;
      if (setup.arithmetic == gpu::Arithmetic::Bfloat) tolerances.output = 4e-3;
      REQUIRE(streaming_cases::difference(emulator::sweep(c->problem, request, setup),
                                          expected_of(*c, request, 1, 2), request, tolerances) == "");
    }
}

TEST_CASE("Rows without any key are zeros, rows with one are that key, in heads of every width", "[edges]") {
  for (const Setup& setup : emulator::setups)
    for (const std::int64_t d : {8, 80})
      for (const std::int64_t keys_per_cell : {16, 64}) {
        samples::Random random(static_cast<std::uint64_t>(d));
        const auto c = emulator::in_quarters(random, {3, 1, 100, 70, width(setup, d), d}, 0);
        AttentionProblem& p = c->problem;
        const SweepRequest request = everything(64, keys_per_cell);
        p.real_keys = 0;
        check_sweep(*c, request, setup);
        REQUIRE(compare::difference(emulator::tile(p, {}, setup), weights_of(*c), 0) == "");
        p.real_keys = -1;
        // Queries 0 to 49 see no key, the others one each.
        p.offset = -50;
        p.left = p.right = 0;
        check_sweep(*c, request, setup);
        const Sweep found = emulator::sweep(p, request, setup);
        for (const float entropy : found.entropy.values()) REQUIRE(entropy >= 0);
        REQUIRE(compare::difference(emulator::tile(p, {}, setup), weights_of(*c), 1e-6) == "");
      }
}

TEST_CASE("Some of the rows, in heads of every width", "[edges]") {
  for (const Setup& setup : emulator::setups)
    for (const std::int64_t d : {8, 40, 80, 128}) {
      samples::Random random(static_cast<std::uint64_t>(d));
      const auto c = emulator::in_quarters(random, {1, 1, 300, 150, d, d}, 0);
      SweepRequest request = everything(4, 16);
      request.rows = {5, 290, 3};
      check_sweep(*c, request, setup);
    }
}

TEST_CASE("Padded queries count in the picture and not in what keys receive, in tiles seen whole as well",
          "[edges]") {
  for (const Setup& setup : emulator::setups)
    for (const std::int64_t real : {0, 1, 64, 100, 128, 199}) {
      samples::Random random(static_cast<std::uint64_t>(real));
      const auto c = emulator::in_quarters(random, {1, 1, 200, 256, 8, 8}, 0);
      c->problem.real_queries = real;
      INFO(real << " queries");
      check_sweep(*c, everything(4, 16), setup);
    }
}

TEST_CASE("Keys whose products are -inf are keys that no query sees", "[edges]") {
  for (const Setup& setup : emulator::setups)
    for (const std::int64_t keys_per_cell : {4, 64})
      for (const bool all : {false, true}) {
        // A query of zeros behind the last one would make NaN of such a key, in the last 64 rows of a
        // picture.
        samples::Random random(13);
        const auto c = emulator::in_quarters(random, {1, 1, 100, all ? 256 : 40, 8, 8}, 0);
        for (std::size_t key = 0; key < c->k.size() / 8; ++key)
          if (all || key == 7) c->k[key * 8] = -INFINITY;
        INFO((all ? "all keys" : "one key"));
        check_sweep(*c, everything(all ? 1 : 64, keys_per_cell), setup);
      }
}

TEST_CASE("A NaN stays with the rows and cells that see it", "[edges]") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Setup& setup : emulator::setups)
    for (const std::int64_t keys_per_cell : {4, 64})
      for (const bool additive : {false, true}) {
        samples::Random random(5);
        const auto d = static_cast<std::size_t>(width(setup, 8));
        const auto c = emulator::in_quarters(random, {1, 1, 100, 200, width(setup, 8), 4}, 0);
        AttentionProblem& p = c->problem;
        p.offset = 100;
        p.left = 60;
        p.right = 0;
        SweepRequest request = everything(1, keys_per_cell);
        const auto bad = [&](std::int64_t row) { return row == 7 || (row >= 50 && row <= 55); };
        const auto sees = [&](std::int64_t row, std::int64_t key) {
          return key >= row + 40 && key <= row + 100 && !(additive && key == 150 && !bad(row));
        };
        c->q[7 * d + 3] = nan;
        c->k[150 * d + 2] = nan;  // seen by queries 50 to 110, or, with the mask, by 50 to 55
        if (additive) {
          c->additive.assign(100 * 200, 0);
          for (std::int64_t row = 0; row < 100; ++row)
            if (!bad(row)) c->additive[static_cast<std::size_t>(row * 200 + 150)] = -INFINITY;
          p.additive.values = c->additive;
        }
        const auto spoilt = [&](std::int64_t row) { return row == 7 || sees(row, 150); };
        const Sweep found = emulator::sweep(p, request, setup);
        const Tensor cells = emulator::tile(p, {}, setup);
        for (std::int64_t row = 0; row < 100; ++row) {
          const auto at = static_cast<std::size_t>(row);
          INFO(named(setup) << ", row " << row << ", cells of " << keys_per_cell);
          REQUIRE(std::isnan(found.entropy.values()[at]) == spoilt(row));
          REQUIRE(std::isnan(found.largest.values()[at]) == spoilt(row));
          REQUIRE(std::isnan(found.log_sum_exp.values()[at]) == spoilt(row));
          REQUIRE(std::isnan(found.output.values()[at * 4 + 1]) == spoilt(row));
          if (row == 7) REQUIRE(found.strongest[at] == -1);
          const std::int64_t columns = (200 + keys_per_cell - 1) / keys_per_cell;
          for (std::int64_t column = 0; column < columns; ++column) {
            bool reached = false;
            for (std::int64_t key = column * keys_per_cell;
                 key < std::min<std::int64_t>(200, (column + 1) * keys_per_cell); ++key)
              reached = reached || sees(row, key);
            const auto cell = static_cast<std::size_t>(row * columns + column);
            INFO("column " << column);
            REQUIRE(std::isnan(found.mean.values()[cell]) == (spoilt(row) && reached));
            REQUIRE(std::isnan(found.max.values()[cell]) == (spoilt(row) && reached));
          }
          for (std::int64_t key = 0; key < 200; ++key)
            REQUIRE(std::isnan(cells.values()[at * 200 + static_cast<std::size_t>(key)]) ==
                    (spoilt(row) && sees(row, key)));
        }
        for (std::int64_t key = 0; key < 200; ++key) {
          bool reached = false;
          for (std::int64_t row = 0; row < 100; ++row) reached = reached || (spoilt(row) && sees(row, key));
          REQUIRE(std::isnan(found.received.values()[static_cast<std::size_t>(key)]) == reached);
        }
      }
}

TEST_CASE("Neither the schedule nor, but for the order of sums over rows, the number of blocks changes a bit",
          "[edges]") {
  samples::Random random(8);
  for (const std::int64_t most : {60, 200})
    for (const gpu::Arithmetic arithmetic : {gpu::Arithmetic::Float, gpu::Arithmetic::Bfloat}) {
      const auto c = streaming_cases::any_case(random, most);
      for (const std::int64_t keys_per_cell : {8, 128}) {
        const SweepRequest request = everything(32, keys_per_cell);
        const Sweep first =
            emulator::sweep(c->problem, request, {arithmetic, emulator::Schedule::Lazy, 1, 3});
        for (const int blocks : {1, 3, 8}) {
          const Sweep other =
              emulator::sweep(c->problem, request, {arithmetic, emulator::Schedule::Adversarial, 9, blocks});
          const auto same = [](const auto& a, const auto& b) {
            return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(*a.data())) ==
                   0;
          };
          INFO(c->description() << "; blocks " << blocks);
          REQUIRE(same(first.output, other.output));
          REQUIRE(same(first.log_sum_exp, other.log_sum_exp));
          REQUIRE(same(first.entropy, other.entropy));
          REQUIRE(same(first.largest, other.largest));
          REQUIRE(first.strongest == other.strongest);
          REQUIRE(same(first.mean, other.mean));
          REQUIRE(same(first.max, other.max));
          if (blocks == 3) REQUIRE(same(first.received, other.received));
        }
      }
    }
}

}  // namespace attnscope::edges_test
