// The kernels for matrix units, with tiles emulated by ordinary code: errors of bfloat16 and split bfloat16
// against the float64 oracle, for any shape and mask. The product's own kernels have to meet the same limits
// if the machine has AMX.
#if defined(__x86_64__)
#include <algorithm>
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "core/compare.hpp"
#include "core/streaming/sweep.hpp"
#include "core/streaming_cases.hpp"
#include "support/seeds.hpp"

namespace attnscope::streaming {
extern const Kernels kernels_tiles_bfloat, kernels_tiles_split_bfloat;
}

namespace attnscope::streaming_bfloat_test {
namespace {

using streaming::InstructionSet;
using streaming::Kernels;

bool can_run_here() { return streaming::kernels_for(InstructionSet::Avx2) != nullptr; }

std::vector<const Kernels*> with_own(const Kernels& emulated, std::initializer_list<InstructionSet> own) {
  std::vector<const Kernels*> all{&emulated};
  for (const InstructionSet set : own)
    if (const Kernels* kernels = streaming::kernels_for(set)) all.push_back(kernels);
  return all;
}
std::vector<const Kernels*> split_kernels() {
  return with_own(streaming::kernels_tiles_split_bfloat, {InstructionSet::AmxSplitBfloat});
}
std::vector<const Kernels*> plain_kernels() {
  return with_own(streaming::kernels_tiles_bfloat, {InstructionSet::AmxBfloat, InstructionSet::Avx512Bfloat});
}

/// Largest error of the scaled scores of normal queries and keys of 64 dimensions: with one key the
/// log-sum-exp is the score.
double score_error(const Kernels& kernels) {
  ThreadPool pool(1);
  double worst = 0;
  for (std::uint64_t index = 0; index < 20; ++index) {
    samples::Random random(seeds::of_case("scores in bfloat16", index));
    const auto c = streaming_cases::plain_case(random, {1, 1, 1000, 1, 64, 1});
    const Sweep found = sweep(c->problem, {}, Work{pool, {}}, nullptr, &kernels);
    const oracle::RowProblem problem = c->in_oracle();
    for (std::int64_t i = 0; i < 1000; ++i)
      worst =
          std::max(worst, std::abs(found.log_sum_exp.data()[i] -
                                   oracle::attend_row(problem, 0, static_cast<std::size_t>(i)).log_sum_exp));
  }
  return worst;
}

/// The largest differences between a sweep and the oracle, relative to the largest numbers.
struct Errors {
  double output = 0, log_sum_exp = 0, entropy = 0, largest = 0;
};

Errors errors_of(const streaming_cases::Case& c, const Sweep& found) {
  const AttentionProblem& p = c.problem;
  const oracle::RowProblem problem = c.in_oracle();
  Errors worst;
  const auto see = [](double& error, double is, double should) {
    if (is == should) return;  // the same infinity
    const double off = std::abs(is - should) / std::max(1.0, std::abs(should));
    error = off <= error ? error : off;  // a NaN is an error, too
  };
  for (std::int64_t h = 0; h < p.heads; ++h) {
    for (std::int64_t i = 0; i < p.queries; ++i) {
      const oracle::RowAnswer row =
          oracle::attend_row(problem, static_cast<std::size_t>(h), static_cast<std::size_t>(i));
      const std::int64_t at = h * p.queries + i;
      see(worst.log_sum_exp, found.log_sum_exp.data()[at], row.log_sum_exp);
      see(worst.entropy, static_cast<double>(found.entropy.data()[at]), row.entropy);
      see(worst.largest, static_cast<double>(found.largest.data()[at]), row.largest);
      for (std::int64_t d = 0; d < p.d_v; ++d)
        see(worst.output, static_cast<double>(found.output.data()[at * p.d_v + d]),
            row.output[static_cast<std::size_t>(d)]);
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("Scores in split bfloat16 are within 5e-5, in bfloat16 within 2e-2", "[bfloat]") {
  if (!can_run_here()) SKIP("this machine has no AVX2");
  for (const Kernels* kernels : split_kernels()) {
    INFO(kernels->name);
    const double error = score_error(*kernels);
    CHECK(error < 5e-5);
    CHECK(error > 0);
  }
  for (const Kernels* kernels : plain_kernels()) {
    INFO(kernels->name);
    const double error = score_error(*kernels);
    CHECK(error < 2e-2);
    CHECK(error > 1e-4);  // else it was not computed in bfloat16
  }
}

TEST_CASE("A sweep with tiles of bfloat16 is what the oracle says, as far as its numbers reach", "[bfloat]") {
  if (!can_run_here()) SKIP("this machine has no AVX2");
  ThreadPool pool(2);
  for (std::uint64_t index = 0; index < 120; ++index) {
    samples::Random random(seeds::of_case("bfloat sweep", index));
    const auto c = streaming_cases::any_case(random, index < 100 ? 70 : 420);
    SweepRequest request;
    request.strongest = true;
    if (random.coin())
      request.picture =
          PooledCells{std::int64_t{1} << random.between(0, 6), std::int64_t{1} << random.between(0, 8)};
    // Scores reach 10, low temperatures and negative gaps multiply their errors.
    const double gain = std::max(1.0, 1 / c->problem.temperature);
    for (const auto& [all, tolerance] :
         {std::pair(split_kernels(), 2e-4), std::pair(plain_kernels(), 0.12)}) {
      for (const Kernels* kernels : all) {
        INFO(kernels->name << ", case " << index << ": " << c->description());
        const Sweep found = sweep(c->problem, request, Work{pool, {}}, nullptr, kernels);
        const Errors errors = errors_of(*c, found);
        CHECK(errors.log_sum_exp <= tolerance * gain);
        CHECK(errors.entropy <= 3 * tolerance * gain);
        CHECK(errors.largest <= tolerance * gain);
        CHECK(errors.output <= 3 * tolerance * gain);
        if (!request.picture) continue;
        // Each row of cells adds up to its pooled rows, which add up to 1 or see no key.
        const std::int64_t columns = found.mean.shape()[2], height = request.picture->rows_per_cell;
        for (std::int64_t row = 0; row < c->problem.heads * found.mean.shape()[1]; ++row) {
          const std::int64_t first = row % found.mean.shape()[1] * height;
          const auto rows = static_cast<double>(std::min(height, c->problem.queries - first));
          double sum = 0;
          for (std::int64_t column = 0; column < columns; ++column) {
            const std::int64_t width = std::min(request.picture->keys_per_cell,
                                                c->problem.keys - column * request.picture->keys_per_cell);
            sum += static_cast<double>(found.mean.data()[row * columns + column]) * rows *
                   static_cast<double>(width);
          }
          CHECK(sum <= rows + 1e-3);
        }
      }
    }
  }
}

TEST_CASE("Tiles of bfloat16: the number of threads changes no bit, NaN stays in its row", "[bfloat]") {
  if (!can_run_here()) SKIP("this machine has no AVX2");
  samples::Random random(11);
  const auto c = streaming_cases::plain_case(random, {2, 1, 300, 500, 24, 40});
  c->problem.causal = true;
  c->q[5 * 24 + 3] = std::nanf("");
  c->connect();
  for (const Kernels* kernels : split_kernels()) {
    INFO(kernels->name);
    ThreadPool one(1), three(3);
    const Sweep a = sweep(c->problem, {}, Work{one, {}}, nullptr, kernels);
    const Sweep b = sweep(c->problem, {}, Work{three, {}}, nullptr, kernels);
    for (std::int64_t row = 0; row < 600; ++row) {
      INFO("row " << row);
      CHECK(std::isnan(a.entropy.data()[row]) == (row == 5));
      if (row == 5) continue;
      CHECK(a.log_sum_exp.data()[row] == b.log_sum_exp.data()[row]);
      CHECK(std::equal(a.output.data() + row * 40, a.output.data() + (row + 1) * 40,
                       b.output.data() + row * 40));
    }
  }
}

}  // namespace attnscope::streaming_bfloat_test
#endif
