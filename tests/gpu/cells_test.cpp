// Exact cells of a rectangle on an emulated card against the float64 oracle: any mask, any part, every kind.
#include <catch2/catch_test_macros.hpp>

#include "core/compare.hpp"
#include "gpu/emulated_sweeps.hpp"
#include "support/seeds.hpp"

namespace attnscope {

TEST_CASE("Cells of any rectangle on a card are what the oracle says") {
  for (std::uint64_t index = 0; index < 60; ++index) {
    samples::Random random(seeds::of_case("cells on a card", index));
    const auto c = streaming_cases::any_case(random, index < 50 ? 40 : 150);
    const AttentionProblem& p = c->problem;
    TileWish wish;
    wish.head = random.between(0, p.heads - 1);
    wish.rows.begin = random.between(0, p.queries - 1);
    wish.rows.end = random.between(wish.rows.begin + 1, p.queries);
    wish.rows.step = random.between(1, 3);
    wish.first_key = random.between(0, p.keys - 1);
    wish.last_key = random.between(wish.first_key + 1, p.keys);
    wish.kind = static_cast<TileKind>(random.between(0, 2));

    oracle::Numbers expected;
    const oracle::RowProblem problem = c->in_oracle();
    for (std::int64_t i = wish.rows.begin; i < wish.rows.end; i += wish.rows.step) {
      const oracle::RowAnswer row =
          oracle::attend_row(problem, static_cast<std::size_t>(wish.head), static_cast<std::size_t>(i));
      const oracle::Numbers& numbers = wish.kind == TileKind::Weights  ? row.weights
                                       : wish.kind == TileKind::Masked ? row.masked
                                                                       : row.scaled;
      expected.insert(expected.end(), numbers.begin() + wish.first_key, numbers.begin() + wish.last_key);
    }
    INFO("case " << index << ": " << c->description() << "; kind " << static_cast<int>(wish.kind));
    // Scores reach 10: a weight's relative error is theirs, 3e-6.
    const emulator::Setup& setup = emulator::setups[index % 2];
    REQUIRE(compare::difference(emulator::tile(p, wish, setup), expected, 1e-5) == "");
  }
}

}  // namespace attnscope
