// The streaming sweep against the float64 oracle: every instruction set, any shape, any mask.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/compare.hpp"
#include "core/streaming/sweep.hpp"
#include "core/streaming_expected.hpp"
#include "support/seeds.hpp"

namespace attnscope::streaming_sweep_test {
using streaming_cases::add_sinks;
using streaming_cases::any_request;
using streaming_cases::difference;
using streaming_cases::Expected;
using streaming_cases::expected_of;

TEST_CASE("A sweep of any shape, mask and request is what the oracle says, on every instruction set") {
  ThreadPool pool(2);
  for (std::uint64_t index = 0; index < 300; ++index) {
    samples::Random random(seeds::of_case("streaming sweep", index));
    const auto c = streaming_cases::any_case(random, index < 250 ? 40 : 230);
    if (random.between(0, 3) == 0) add_sinks(random, *c);
    const SweepRequest request = any_request(random, c->problem);
    const std::int64_t last = request.last_head < 0 ? c->problem.heads : request.last_head;
    const Expected expected = expected_of(*c, request, request.first_head, last);
    for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
      const Sweep found = sweep(c->problem, request, Work{pool, {}}, nullptr, kernels);
      INFO(kernels->name << ", case " << index << ": " << c->description() << "; rows " << request.rows.begin
                         << ".." << request.rows.end << " step " << request.rows.step << ", picture "
                         << request.picture.value_or(PooledCells{0, 0}).rows_per_cell << " "
                         << request.picture.value_or(PooledCells{0, 0}).keys_per_cell);
      REQUIRE(difference(found, expected, request) == "");
    }
  }
}

namespace {

/// Whether numbers [at · width, (at + 1) · width) of `among` are those of `few` from `own` on, bit by bit.
bool same_bits(const auto& few, std::int64_t own, const auto& among, std::int64_t at, std::int64_t width) {
  const auto bits = [&](const auto& numbers, std::int64_t row) {
    return std::as_bytes(std::span(numbers.data() + row * width, static_cast<std::size_t>(width)));
  };
  return std::ranges::equal(bits(few, own), bits(among, at));
}

}  // namespace

TEST_CASE("Few rows by themselves have the bits that they have among others, on every instruction set") {
  for (std::uint64_t index = 0; index < 240; ++index) {
    samples::Random random(seeds::of_case("rows alone", index));
    const auto c = streaming_cases::any_case(random, 300);
    if (random.between(0, 3) == 0) add_sinks(random, *c);
    ThreadPool pool(1);
    const std::int64_t tall = std::int64_t{1} << random.between(0, 4);
    const std::int64_t end = random.between(1, std::min<std::int64_t>(c->problem.queries, 60));
    const std::int64_t first = std::max<std::int64_t>(0, end - random.between(1, 8)) / tall * tall;
    SweepRequest request;
    request.rows = {0, end};
    request.output = random.between(0, 4) > 0;
    if (random.between(0, 3) > 0) request.picture = {tall, std::int64_t{1} << random.between(0, 8)};
    for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
      const Sweep every = sweep(c->problem, request, {pool, {}}, nullptr, kernels);
      SweepRequest of_few = request;
      of_few.rows = {first, end};
      const Sweep few = sweep(c->problem, of_few, {pool, {}}, nullptr, kernels);
      INFO(kernels->name << ", case " << index << ": " << c->description() << ", rows " << first << ".."
                         << end << ", cells of " << request.picture.value_or(PooledCells{0, 0}).rows_per_cell
                         << " by " << request.picture.value_or(PooledCells{0, 0}).keys_per_cell);
      bool same = true;
      for (std::int64_t row = first; row < end; ++row) {
        for (std::int64_t h = 0; h < c->problem.heads; ++h) {
          const std::int64_t own = h * (end - first) + row - first, among = h * end + row;
          if (request.output) same &= same_bits(few.output, own, every.output, among, c->problem.d_v);
          same &= same_bits(few.entropy, own, every.entropy, among, 1);
          same &= same_bits(few.log_sum_exp, own, every.log_sum_exp, among, 1);
          same &= same_bits(few.largest, own, every.largest, among, 1);
        }
      }
      CHECK(same);
      if (!request.picture) continue;
      const std::int64_t rows = every.mean.shape()[1], below = few.mean.shape()[1];
      bool same_cells = true;
      for (std::int64_t h = 0; h < c->problem.heads; ++h) {
        for (std::int64_t row = 0; row < below; ++row) {
          const auto equal = [&](const Tensor& a, const Tensor& b) {
            return same_bits(a, h * below + row, b, (h + 1) * rows - below + row, a.shape()[2]);
          };
          same_cells &= equal(few.mean, every.mean) && equal(few.largest_cells(), every.largest_cells());
        }
      }
      CHECK(same_cells);
    }
  }
}

TEST_CASE("Rows that follow join their row of cells with the bits of all at once, on every instruction set") {
  ThreadPool pool(2);
  for (std::uint64_t index = 0; index < 120; ++index) {
    samples::Random random(seeds::of_case("rows that follow", index));
    const auto c = streaming_cases::any_case(random, 300);
    if (random.between(0, 3) == 0) add_sinks(random, *c);
    const PooledCells cells{std::int64_t{1} << random.between(1, 6), std::int64_t{1} << random.between(0, 8)};
    const std::int64_t first = random.between(0, c->problem.queries - 1) / cells.rows_per_cell *
                               cells.rows_per_cell,
                       end = std::min(c->problem.queries, first + cells.rows_per_cell);
    SweepRequest request{.output = false, .picture = cells};
    for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
      const std::int64_t most = most_following(cells, kernels);
      INFO(kernels->name << ", case " << index << ": " << c->description() << ", rows " << first << ".."
                         << end << ", cells of " << cells.rows_per_cell << " by " << cells.keys_per_cell);
      CHECK(most == (cells.rows_per_cell <= kernels->lanes ? kernels->few_rows : 0));
      KeptCellRows kept;
      kept.make_room(c->problem.heads, cells, c->problem.keys + random.between(0, 70));
      Sweep following;
      for (std::int64_t row = first; most > 0 && row < end;) {
        // Sometimes rows are dropped and swept again.
        if (random.between(0, 4) == 0) kept.keep(random.between(0, kept.rows()));
        row = first + kept.rows();
        request.rows = {row, std::min(end, row + random.between(1, most)), 1};
        sweep_following(following, c->problem, request, kept, {pool, {}}, kernels);
        row = request.rows.end;
        request.rows.begin = first;
        const Sweep all = sweep(c->problem, request, {pool, {}}, nullptr, kernels);
        REQUIRE(kept.rows() == row - first);
        const std::int64_t numbers = all.mean.size();
        REQUIRE(following.mean.shape() == all.mean.shape());
        CHECK(same_bits(following.mean, 0, all.mean, 0, numbers));
        CHECK(same_bits(following.max, 0, all.max, 0, numbers));
      }
    }
  }
}

TEST_CASE("What few rows give to each key has the bits of a second pass, on every instruction set") {
  ThreadPool pool(2);
  for (std::uint64_t index = 0; index < 100; ++index) {
    samples::Random random(seeds::of_case("received of few rows", index));
    const auto c = streaming_cases::any_case(random, 300);
    if (random.between(0, 3) == 0) add_sinks(random, *c);
    if (random.between(0, 3) == 0) c->problem.real_queries = random.between(0, c->problem.queries);
    SweepRequest request{.received = true};
    const std::int64_t first = random.between(0, c->problem.queries - 1);
    request.rows = {first, std::min(c->problem.queries, first + random.between(1, 8)), random.between(1, 3)};
    SweepRequest twice = request;
    twice.strongest = true;  // with it rows are not swept one by one
    for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
      const Sweep once = sweep(c->problem, request, {pool, {}}, nullptr, kernels),
                  again = sweep(c->problem, twice, {pool, {}}, nullptr, kernels);
      INFO(kernels->name << ", case " << index << ": " << c->description());
      CHECK(same_bits(once.received, 0, again.received, 0, once.received.size()));
    }
  }
}

TEST_CASE("A sink far above every score takes everything, one far below nothing, on every instruction set") {
  ThreadPool pool(1);
  samples::Random random(5);
  const auto c = streaming_cases::plain_case(random, {2, 1, 30, 30, 8, 8});
  SweepRequest request;
  request.received = request.strongest = true;
  for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
    c->problem.sinks = {};
    const Sweep without = sweep(c->problem, request, Work{pool, {}}, nullptr, kernels);
    c->sinks = {1000, -1000};
    c->problem.sinks = c->sinks;
    const Sweep with = sweep(c->problem, request, Work{pool, {}}, nullptr, kernels);
    const auto of_head = [](const auto& tensor, std::size_t h) {
      const std::size_t half = tensor.values().size() / 2;
      return std::vector(tensor.values().begin() + static_cast<std::ptrdiff_t>(h * half),
                         tensor.values().begin() + static_cast<std::ptrdiff_t>((h + 1) * half));
    };
    for (const float x : of_head(with.output, 0)) CHECK(x == 0);
    for (const float x : of_head(with.received, 0)) CHECK(x == 0);
    for (const double x : of_head(with.log_sum_exp, 0)) CHECK(x == 1000);
    CHECK(of_head(with.entropy, 0) == of_head(without.entropy, 0));
    CHECK(of_head(with.output, 1) == of_head(without.output, 1));
    CHECK(of_head(with.log_sum_exp, 1) == of_head(without.log_sum_exp, 1));
    CHECK(with.strongest == without.strongest);
  }
}

TEST_CASE("A row that may see no key: zeros, entropy 0, log-sum-exp -inf, no strongest key") {
  ThreadPool pool(1);
  samples::Random random(3);
  const auto c = streaming_cases::plain_case(random, {2, 1, 70, 70, 8, 8});
  c->problem.causal = true;
  c->problem.offset = -5;
  SweepRequest request;
  request.received = request.strongest = true;
  request.picture = PooledCells{1, 1};
  for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
    const Sweep found = sweep(c->problem, request, Work{pool, {}}, nullptr, kernels);
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(found.log_sum_exp.values()[i] == -INFINITY);
      CHECK(found.entropy.values()[i] == 0);
      CHECK(found.largest.values()[i] == 0);
      CHECK(found.strongest[i] == -1);
      for (std::size_t d = 0; d < 8; ++d) CHECK(found.output.values()[i * 8 + d] == 0);
      for (std::size_t j = 0; j < 70; ++j) CHECK(found.largest_cells().values()[i * 70 + j] == 0);
    }
    // The row after them sees one key: exactly that one.
    CHECK(found.entropy.values()[5] == 0);
    CHECK(found.largest.values()[5] == 1);
    CHECK(found.strongest[5] == 0);
    CHECK(found.largest_cells().values()[5 * 70] == 1);
  }
}

TEST_CASE("An offset of 3000 on all scores costs the entropy nothing") {
  ThreadPool pool(2);
  samples::Random random(4);
  const auto c = streaming_cases::plain_case(random, {1, 1, 20, 1000, 16, 16});
  // Multiples of 1/16, so that score + 3000 is exact in float32 and the error seen is the softmax's own.
  for (float& x : c->q) x = std::round(x * 2) / 2;
  for (float& x : c->k) x = std::round(x * 2) / 2;
  c->problem.scale = 0.25;
  c->additive.assign(static_cast<std::size_t>(20 * 1000), 3000);
  c->connect();
  const SweepRequest request;
  const Expected expected = expected_of(*c, request, 0, 1);
  for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
    const Sweep found = sweep(c->problem, request, Work{pool, {}}, nullptr, kernels);
    INFO(kernels->name);
    CHECK(compare::difference(found.entropy, expected.entropy, 2e-6) == "");
    CHECK(compare::difference(found.output, expected.output, 2e-6) == "");
    for (std::size_t i = 0; i < 20; ++i)
      CHECK(std::abs(found.log_sum_exp.values()[i] - expected.log_sum_exp[i]) < 2e-6);
  }
}

TEST_CASE("NaN and infinite inputs stay with their rows, and hidden keys' numbers reach no row") {
  ThreadPool pool(1);
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  samples::Random random(5);
  const auto c = streaming_cases::plain_case(random, {1, 1, 40, 40, 8, 4});
  c->problem.causal = true;
  SweepRequest request;
  request.picture = PooledCells{1, 4};
  for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
    const Sweep clean = sweep(c->problem, request, Work{pool, {}}, nullptr, kernels);
    for (const float bad : {nan, infinity}) {
      const float was = c->q[7 * 8 + 3], key_was = c->k[30 * 8];
      c->q[7 * 8 + 3] = bad;  // query 7: scores NaN or infinite of both signs
      c->k[30 * 8] = nan;     // key 30: seen by queries 30 … 39 only
      const Sweep found = sweep(c->problem, request, Work{pool, {}}, nullptr, kernels);
      c->q[7 * 8 + 3] = was;
      c->k[30 * 8] = key_was;
      for (std::size_t i = 0; i < 40; ++i) {
        const bool spoilt = i == 7 || i >= 30;
        INFO(kernels->name << " row " << i);
        CHECK(std::isnan(found.entropy.values()[i]) == spoilt);
        CHECK(std::isnan(found.output.values()[i * 4]) == spoilt);
        CHECK(std::isnan(found.largest_cells().values()[i * 10]) == spoilt);
        if (spoilt) continue;
        CHECK(found.entropy.values()[i] == clean.entropy.values()[i]);
        CHECK(found.output.values()[i * 4] == clean.output.values()[i * 4]);
      }
    }
  }
}

TEST_CASE("Scores as low as floats go are scores, not hidden keys") {
  ThreadPool pool(1);
  samples::Random random(6);
  const auto c = streaming_cases::plain_case(random, {1, 1, 9, 33, 4, 4});
  c->additive.assign(9 * 33, std::numeric_limits<float>::lowest());
  c->connect();
  for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
    const Sweep found = sweep(c->problem, {}, Work{pool, {}}, nullptr, kernels);
    for (const float entropy : found.entropy.values()) CHECK(std::abs(entropy - std::log(33.0f)) < 1e-5f);
    for (const float largest : found.largest.values()) CHECK(std::abs(largest - 1 / 33.0f) < 1e-7f);
  }
}

}  // namespace attnscope::streaming_sweep_test
