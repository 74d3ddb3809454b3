// Exact cells of a rectangle on an emulated card against the float64 oracle: any mask, any part, every kind.
#include <catch2/catch_test_macros.hpp>

#include "core/compare.hpp"
#include "core/streaming_expected.hpp"
#include "gpu/emulated_sweeps.hpp"
#include "support/seeds.hpp"

namespace attnscope::cells_test {

TEST_CASE("Cells of any rectangle on a card are what the oracle says") {
  for (std::uint64_t index = 0; index < 60; ++index) {
    samples::Random random(seeds::of_case("cells on a card", index));
    const auto c = streaming_cases::any_case(random, index < 50 ? 40 : 150);
    const AttentionProblem& p = c->problem;
    TileRequest request;
    request.head = random.between(0, p.heads - 1);
    request.rows.begin = random.between(0, p.queries - 1);
    request.rows.end = random.between(request.rows.begin + 1, p.queries);
    request.rows.step = random.between(1, 3);
    request.first_key = random.between(0, p.keys - 1);
    request.last_key = random.between(request.first_key + 1, p.keys);
    request.kind = static_cast<TileKind>(random.between(0, 2));

    oracle::Numbers expected;
    const oracle::RowProblem problem = c->in_oracle();
    for (std::int64_t i = request.rows.begin; i < request.rows.end; i += request.rows.step) {
      const oracle::RowAnswer row =
          oracle::attend_row(problem, static_cast<std::size_t>(request.head), static_cast<std::size_t>(i));
      const oracle::Numbers& numbers = request.kind == TileKind::Weights  ? row.weights
                                       : request.kind == TileKind::Masked ? row.masked
                                                                          : row.scaled;
      expected.insert(expected.end(), numbers.begin() + request.first_key,
                      numbers.begin() + request.last_key);
    }
    INFO("case " << index << ": " << c->description() << "; kind " << static_cast<int>(request.kind));
    // Scores reach 10: a weight's relative error is theirs, 3e-6.
    const emulator::Setup& setup = emulator::setups[index % 2];
    REQUIRE(compare::difference(emulator::tile(p, request, setup), expected, 1e-5) == "");
  }
}

TEST_CASE("Cells of any rectangle, pooled on a card some rows at a time, are the oracle's pooled") {
  for (std::uint64_t index = 0; index < 60; ++index) {
    samples::Random random(seeds::of_case("pooled on a card", index));
    const auto c = streaming_cases::any_case(random, index < 40 ? 40 : 200);
    TileRequest request = streaming_cases::any_tile(random, c->problem);
    request.kind = TileKind::Weights;
    const PooledCells cells = streaming_cases::any_pooling(random);
    const auto expected = streaming_cases::expected_pooled(*c, request, cells);
    emulator::Setup setup = emulator::setups[index % 2];
    setup.cells_at_once = random.coin() ? 1 : 5000;
    INFO("case " << index << ": " << c->description() << "; cells of " << cells.rows_per_cell << " x "
                 << cells.keys_per_cell << ", " << setup.cells_at_once << " at once");
    const PooledTile found = emulator::pooled_tile(c->problem, request, cells, setup);
    REQUIRE(compare::difference(found.mean, expected.mean, 3e-6) == "");
    REQUIRE(compare::difference(found.max, expected.max, 1e-5) == "");
  }
}

TEST_CASE("A NaN is seen in both pictures of the cells it falls in, on a card as well") {
  samples::Random random(12);
  const auto c = streaming_cases::plain_case(random, {1, 1, 150, 150, 8, 8});
  c->q[70 * 8] = std::numeric_limits<float>::quiet_NaN();
  const PooledTile found = emulator::pooled_tile(c->problem, {}, {32, 64}, emulator::setups[0]);
  REQUIRE(found.mean.shape() == Shape{5, 3});
  for (std::int64_t i = 0; i < 5; ++i)
    for (std::int64_t j = 0; j < 3; ++j) {
      CHECK(std::isnan(found.mean.matrix()(i, j)) == (i == 2));
      CHECK(std::isnan(found.max.matrix()(i, j)) == (i == 2));
    }
}

}  // namespace attnscope::cells_test
