// Tiles of exact cells against the float64 oracle, and against the sweep they belong to.
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/compare.hpp"
#include "core/streaming/tile.hpp"
#include "core/streaming_expected.hpp"
#include "support/seeds.hpp"

namespace attnscope::streaming_tile_test {
using streaming_cases::add_sinks;
using streaming_cases::any_tile;
using streaming_cases::expected_cells;

TEST_CASE("A tile of any rectangle and kind is what the oracle says, on every instruction set") {
  ThreadPool pool(2);
  for (std::uint64_t index = 0; index < 300; ++index) {
    samples::Random random(seeds::of_case("streaming tile", index));
    const auto c = streaming_cases::any_case(random, index < 250 ? 40 : 230);
    if (random.between(0, 3) == 0) add_sinks(random, *c);
    const TileRequest request = any_tile(random, c->problem);
    const oracle::Numbers expected = expected_cells(*c, request);
    for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
      const Tensor found = tile(c->problem, request, nullptr, Work{pool, {}}, kernels);
      INFO(kernels->name << ", case " << index << ": " << c->description() << "; kind "
                         << static_cast<int>(request.kind));
      // Scores of up to 10 are sums of up to 128 products: errors of 1e-6 of them, and as much of each
      // weight.
      REQUIRE(compare::difference(found, expected, request.kind == TileKind::Weights ? 5e-6 : 2e-6) == "");
    }
  }
}

TEST_CASE(
    "A tile in cells of several is the oracle's weights pooled, on every instruction set and any threads") {
  ThreadPool pool(2), alone(1);
  for (std::uint64_t index = 0; index < 200; ++index) {
    samples::Random random(seeds::of_case("pooled tile", index));
    const auto c = streaming_cases::any_case(random, index < 150 ? 40 : 300);
    TileRequest request = any_tile(random, c->problem);
    request.kind = TileKind::Weights;
    const PooledCells cells = streaming_cases::any_pooling(random);
    const auto expected = streaming_cases::expected_pooled(*c, request, cells);
    for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
      const PooledTile found = pooled_tile(c->problem, request, cells, nullptr, Work{pool, {}}, kernels);
      INFO(kernels->name << ", case " << index << ": " << c->description() << "; cells of "
                         << cells.rows_per_cell << " x " << cells.keys_per_cell);
      REQUIRE(compare::difference(found.mean, expected.mean, 3e-6) == "");
      REQUIRE(compare::difference(found.max, expected.max, 5e-6) == "");
      const PooledTile again = pooled_tile(c->problem, request, cells, nullptr, Work{alone, {}}, kernels);
      REQUIRE((again.mean == found.mean && again.max == found.max));
    }
  }
}

TEST_CASE("A NaN is seen in both pictures of its cell and in no other; scores and odd cells are refused") {
  ThreadPool pool(1);
  samples::Random random(12);
  const auto c = streaming_cases::plain_case(random, {1, 1, 150, 150, 8, 8});
  c->q[70 * 8] = std::numeric_limits<float>::quiet_NaN();
  const PooledTile found = pooled_tile(c->problem, {}, {32, 64}, nullptr, Work{pool, {}});
  REQUIRE(found.mean.shape() == Shape{5, 3});
  for (std::int64_t i = 0; i < 5; ++i)
    for (std::int64_t j = 0; j < 3; ++j) {
      CHECK(std::isnan(found.mean.matrix()(i, j)) == (i == 2));
      CHECK(std::isnan(found.max.matrix()(i, j)) == (i == 2));
    }
  const auto refused = [&](const TileRequest& request, const PooledCells& cells) {
    try {
      pooled_tile(c->problem, request, cells, nullptr, Work{pool, {}});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused({.kind = TileKind::Masked}, {1, 1}) ==
        "Scores were asked for in cells of several; only weights are.");
  CHECK(refused({}, {3, 1}) == "A cell of the picture has a side of 3; expected a power of two up to 2^30.");
}

TEST_CASE("A log-sum-exp of rounded products is not taken for a tile's") {
  ThreadPool pool(1);
  samples::Random random(13);
  const auto c = streaming_cases::plain_case(random, {1, 1, 20, 30, 8, 8});
  Sweep known = sweep(c->problem, {}, Work{pool, {}});
  for (double& x : known.log_sum_exp.values()) x += 0.01;
  const Tensor own = tile(c->problem, {}, nullptr, Work{pool, {}});
  CHECK(tile(c->problem, {}, &known, Work{pool, {}}) != own);
  known.rounded = true;
  CHECK(tile(c->problem, {}, &known, Work{pool, {}}) == own);
}

TEST_CASE("A tile takes the log-sum-exp of a sweep that has its rows, and finds them itself otherwise") {
  ThreadPool pool(2);
  samples::Random random(7);
  const auto c = streaming_cases::plain_case(random, {3, 1, 150, 170, 64, 64});
  c->problem.causal = true;
  const Work work{pool, {}};
  Sweep known = sweep(c->problem, {}, work);
  const TileRequest request{2, {20, 120, 1}, 3, 100, TileKind::Weights};
  const Tensor own = tile(c->problem, request, nullptr, work);
  CHECK(tile(c->problem, request, &known, work) == own);

  // One that knows every third row of one head only.
  SweepRequest part;
  part.first_head = 2;
  part.last_head = 3;
  part.rows = {20, 120, 5};
  const Sweep partial = sweep(c->problem, part, work);
  CHECK(tile(c->problem, request, &partial, work) == own);
  TileRequest fifth = request;
  fifth.rows.step = 5;
  CHECK(tile(c->problem, fifth, &partial, work) == tile(c->problem, fifth, nullptr, work));

  // The tile reads them: a log-sum-exp that is 1 too large makes weights e times too small.
  for (double& x : known.log_sum_exp.values()) x += 1;
  const Tensor smaller = tile(c->problem, request, &known, work);
  for (std::size_t i = 0; i < own.values().size(); ++i)
    CHECK(std::abs(smaller.values()[i] * std::exp(1.0f) - own.values()[i]) <= 1e-6f);
}

namespace {

const streaming::Kernels* real_kernels = nullptr;
std::stop_source* stopped = nullptr;
int blocks_made = 0;

void cells_then_stop(const streaming::CellJob& job) {
  real_kernels->cells(job);
  if (++blocks_made == 2) stopped->request_stop();
}

}  // namespace

TEST_CASE("A pooled tile that is stopped on its way is not handed out") {
  ThreadPool alone(1);
  samples::Random random(5);
  const auto c = streaming_cases::plain_case(random, {1, 1, 400, 60, 8, 8});
  for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
    INFO(kernels->name);
    streaming::Kernels stops = *kernels;
    stops.cells = cells_then_stop;
    std::stop_source source;
    real_kernels = kernels;
    stopped = &source;
    blocks_made = 0;
    // One piece of work of 400 rows, 64 at a time: the stop comes while it is computed.
    CHECK_THROWS_AS(pooled_tile(c->problem, {}, {512, 32}, nullptr, Work{alone, source.get_token()}, &stops),
                    Cancelled);
    CHECK(blocks_made == 2);
  }
}

TEST_CASE("Tiny weights come out as floats have them, hidden ones as zeros") {
  ThreadPool pool(1);
  samples::Random random(8);
  const auto c = streaming_cases::plain_case(random, {1, 1, 1, 120, 1, 1});
  c->q = {1};
  for (std::size_t j = 0; j < 120; ++j) c->k[j] = -static_cast<float>(j);
  c->problem.real_keys = 110;
  c->connect();
  for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
    const Tensor found = tile(c->problem, {}, nullptr, Work{pool, {}}, kernels);
    const double sum = 1 / (1 - std::exp(-1.0));
    for (std::size_t j = 0; j < 120; ++j) {
      const double exact = j < 110 ? std::exp(-static_cast<double>(j)) / sum : 0;
      INFO(kernels->name << " key " << j);
      // The smallest subnormal, or 1e-5 of a normal weight: a difference of 100 is rounded by up to 4e-6.
      CHECK(std::abs(static_cast<double>(found.values()[j]) - exact) <= 1e-5 * exact + 1.5e-45);
    }
    CHECK(found.values()[100] > 0);
  }
}

TEST_CASE("The weights of a row add up to 1 and to the sweep's largest") {
  ThreadPool pool(2);
  samples::Random random(9);
  const auto c = streaming_cases::plain_case(random, {1, 1, 64, 3000, 80, 16});
  const Sweep known = sweep(c->problem, {}, Work{pool, {}});
  const Tensor weights = tile(c->problem, {}, &known, Work{pool, {}});
  for (std::int64_t i = 0; i < 64; ++i) {
    double sum = 0;
    float largest = 0;
    for (std::int64_t j = 0; j < 3000; ++j) {
      sum += static_cast<double>(weights.matrix()(i, j));
      largest = std::max(largest, weights.matrix()(i, j));
    }
    CHECK(std::abs(sum - 1) < 1e-6);
    CHECK(std::abs(largest - known.largest.values()[static_cast<std::size_t>(i)]) < 1e-6f);
  }
}

TEST_CASE("An offset of 3000 on all scores costs the weights nothing") {
  ThreadPool pool(1);
  samples::Random random(11);
  const auto c = streaming_cases::plain_case(random, {1, 1, 12, 300, 16, 1});
  // Multiples of 1/16, so that score + 3000 is exact in float32. The log-sum-exp is not exact: its rounding
  // alone would cost 1e-4.
  for (float& x : c->q) x = std::round(x * 2) / 2;
  for (float& x : c->k) x = std::round(x * 2) / 2;
  c->problem.scale = 0.25;
  c->additive.assign(12 * 300, 3000);
  c->connect();
  const TileRequest request;
  const oracle::Numbers expected = expected_cells(*c, request);
  for (const streaming::Kernels* kernels : streaming_cases::all_kernels())
    CHECK(compare::difference(tile(c->problem, request, nullptr, Work{pool, {}}, kernels), expected, 1e-6) ==
          "");
}

TEST_CASE("A tile outside of the problem is refused with a sentence") {
  ThreadPool pool(1);
  samples::Random random(10);
  const auto c = streaming_cases::plain_case(random, {2, 1, 5, 6, 4, 4});
  const auto refused = [&](const TileRequest& request) {
    try {
      tile(c->problem, request, nullptr, Work{pool, {}});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused({.head = 2}) == "A tile of head 2 was asked for; expected 0 to 1.");
  CHECK(refused({.first_key = 3, .last_key = 7}) ==
        "A tile of keys 3 to 7 was asked for; expected some of the 6 keys.");
  CHECK(refused({.rows = {4, 4, 1}}) ==
        "Rows 4 to 4 in steps of 1 were asked for; expected some of the 5 queries.");
  CHECK(refused({}) == "");
}

}  // namespace attnscope::streaming_tile_test
