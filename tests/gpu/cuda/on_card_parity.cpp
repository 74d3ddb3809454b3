#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/against_oracle.hpp"
#include "core/base/parallel.hpp"
#include "core/compare.hpp"
#include "core/engine/pipeline.hpp"
#include "core/random_documents.hpp"
#include "core/streaming_expected.hpp"
#include "gpu/card_backend.hpp"
#include "gpu/cuda/on_card.hpp"
#include "gpu/emulated_context.hpp"
#include "gpu/sweeps.hpp"
#include "support/seeds.hpp"

namespace attnscope::on_card {

namespace {

using streaming_cases::Case;

gpu::CardSettings settings_of(bool bfloat) {
  gpu::CardSettings settings;
  settings.bfloat_from = bfloat ? 0 : -1;
  return settings;
}

Sweep swept(TimedDevice& device, const AttentionProblem& problem, const SweepRequest& request, bool bfloat) {
  gpu::CardCopies copies(device);
  return gpu::CardSweeps(device, copies, settings_of(bfloat)).sweep(problem, request, {}, nullptr);
}

/// As the tests round them: only the card's own arithmetic is left to be wrong.
void round_to_bfloat(Case& c) {
  const auto round = [](std::vector<float>& values, double factor) {
    for (float& x : values) x = emulator::from_bfloat(emulator::to_bfloat(x * static_cast<float>(factor)));
  };
  round(c.q, c.problem.scale);
  round(c.k, 1);
  round(c.v, 1);
  c.problem.scale = 1;
}

/// Twice what the emulated card is allowed: ex2.approx and tanhf have errors of their own. Matrix units cut
/// off the sums of products, where the emulator rounds: a temperature below 1 makes that error of a score
/// larger.
streaming_cases::Tolerances tolerances_of(bool bfloat, double temperature) {
  streaming_cases::Tolerances t;
  const double factor = bfloat ? 2 / std::min(1.0, temperature) : 2;
  for (double* one : {&t.output, &t.log_sum_exp, &t.entropy, &t.largest, &t.received, &t.mean, &t.max})
    *one *= factor;
  if (bfloat) t.output = 5e-3;
  return t;
}

void sweeps_against_oracle(Card& card, TimedDevice& device, bool bfloat) {
  const int cases = card.emulated ? 6 : 300;
  for (int index = 0; index < cases; ++index) {
    samples::Random random(seeds::of_case("sweep on a real card", static_cast<std::uint64_t>(index)));
    const auto c = streaming_cases::any_case(random, index % 10 == 9 && !card.emulated ? 700 : 130);
    const SweepRequest request = streaming_cases::any_request(random, c->problem);
    if (bfloat) round_to_bfloat(*c);
    const std::int64_t last = request.last_head < 0 ? c->problem.heads : request.last_head;
    const auto expected = streaming_cases::expected_of(*c, request, request.first_head, last);
    card.check(fmt::format("sweep {} {}: {}", bfloat ? "bfloat16" : "float32", index, c->description()),
               streaming_cases::difference(swept(device, c->problem, request, bfloat), expected, request,
                                           tolerances_of(bfloat, c->problem.temperature)));
  }
  card.report(fmt::format("sweeps against the oracle, {}", bfloat ? "bfloat16" : "float32"), cases, "cases");
}

void tiles_against_oracle(Card& card, TimedDevice& device) {
  const int cases = card.emulated ? 3 : 60;
  for (int index = 0; index < cases; ++index) {
    samples::Random random(seeds::of_case("tile on a real card", static_cast<std::uint64_t>(index)));
    const auto c = streaming_cases::any_case(random, 150);
    TileRequest request;
    request.head = random.between(0, c->problem.heads - 1);
    request.first_key = random.between(0, c->problem.keys - 1);
    oracle::Numbers expected;
    const oracle::RowProblem problem = c->in_oracle();
    for (std::size_t i = 0; i < problem.queries; ++i) {
      const auto row = oracle::attend_row(problem, static_cast<std::size_t>(request.head), i);
      expected.insert(expected.end(), row.weights.begin() + request.first_key, row.weights.end());
    }
    gpu::CardCopies copies(device);
    const Tensor found = gpu::CardSweeps(device, copies, {}).tile(c->problem, request, {});
    card.check(fmt::format("tile {}: {}", index, c->description()),
               compare::difference(found, expected, 1e-5));
    const PooledCells cells = streaming_cases::any_pooling(random);
    const auto pooled_expected = streaming_cases::expected_pooled(*c, request, cells);
    const PooledTile pooled = gpu::CardSweeps(device, copies, {}).pooled_tile(c->problem, request, cells, {});
    card.check(fmt::format("pooled tile {}: {}", index, c->description()),
               compare::difference(pooled.mean, pooled_expected.mean, 3e-6) +
                   compare::difference(pooled.max, pooled_expected.max, 1e-5));
  }
  card.report("tiles against the oracle", cases, "cases");
}

void stages_against_oracle(Card& card) {
  const int cases = card.emulated ? 5 : 200;
  for (int index = 0; index < cases; ++index) {
    samples::Random random(seeds::of_case("stages on a real card", static_cast<std::uint64_t>(index)));
    const Document document = samples::any_document(random);
    const ResultPtr found = Pipeline(gpu::make_card_backend(card.open())).run(document);
    card.check(fmt::format("stages of document {}", index),
               against_oracle::difference(document, found->layer().trace,
                                          against_oracle::expected(document, found->layer().trace), 2e-5));
  }
  // Larger than a tile in every direction, also where products go to matrix units in two parts.
  for (const bool split : {false, true}) {
    samples::Random random(31);
    const Document document = samples::text_document(random, {100, 70}, 2, card.emulated ? 32 : 160);
    gpu::CardSettings settings;
    if (split) settings.split_from = 0;
    const ResultPtr found = Pipeline(gpu::make_card_backend(card.open(), settings)).run(document);
    card.check(split ? "stages in two parts of bfloat16" : "stages of a large document",
               against_oracle::difference(document, found->layer().trace,
                                          against_oracle::expected(document, found->layer().trace),
                                          split ? 8e-5 : 2e-5));
  }
  card.report("stages of Documents against the oracle", cases, "cases");
}

void sweep_against_cpu(Card& card, TimedDevice& device) {
  const Numbers numbers(2, card.emulated ? 130 : 8192, 64);
  SweepRequest request;
  request.received = true;
  request.picture = PooledCells{16, 16};
  ThreadPool pool;
  const Sweep expected = sweep(numbers.problem, request, Work{pool, {}});
  for (const bool bfloat : {false, true}) {
    const Sweep found = swept(device, numbers.problem, request, bfloat);
    // bfloat16 scores of normal numbers are off by 2^-8 of products of 64: 1e-2.
    const double off = bfloat ? 2e-2 : 2e-5;
    const auto differs = [&](const auto& a, const auto& b) {
      return compare::difference(a, compare::in_double(b), off);
    };
    card.check(bfloat ? "bfloat16 against the CPU" : "float32 against the CPU",
               differs(found.output, expected.output) + differs(found.entropy, expected.entropy) +
                   differs(found.log_sum_exp, expected.log_sum_exp) +
                   differs(found.received, expected.received) + differs(found.mean, expected.mean));
  }
  card.report("sweeps against the CPU", 2, "cases");
}

}  // namespace

void parity(Card& card) {
  const auto device = card.open();
  sweeps_against_oracle(card, *device, false);
  sweeps_against_oracle(card, *device, true);
  tiles_against_oracle(card, *device);
  stages_against_oracle(card);
  sweep_against_cpu(card, *device);
}

void sanitized(Card& card) {
  Card few = card;
  few.emulated = true;  // as few cases
  const auto device = card.open();
  sweeps_against_oracle(few, *device, false);
  sweeps_against_oracle(few, *device, true);
  tiles_against_oracle(few, *device);
  stages_against_oracle(few);
  card.failures += few.failures;
}

void far_rows(Card& card) {
  // The numbers of the last head begin at 2.5 · 10^9.
  const std::int64_t n = card.emulated ? 300 : 131072, heads = card.emulated ? 3 : 300;
  const Numbers numbers(heads, n, 64);
  const auto device = card.open();
  oracle::RowProblem problem;
  problem.queries = problem.keys = static_cast<std::size_t>(n);
  problem.d_k = problem.d_v = 64;
  problem.scale = numbers.problem.scale;
  problem.q.assign(numbers.q.begin(), numbers.q.end());
  problem.k.assign(numbers.k.begin(), numbers.k.end());
  problem.v.assign(numbers.v.begin(), numbers.v.end());
  for (const bool bfloat : {false, true}) {
    SweepRequest request;
    request.first_head = heads - 2;
    request.rows.step = n / 8 - 3;
    request.rows.begin = 7;
    const Sweep found = swept(*device, numbers.problem, request, bfloat);
    const std::int64_t rows = count_rows(request.rows, n);
    double worst_output = 0, worst_rest = 0;
    for (std::int64_t head = 0; head < 2; ++head)
      for (std::int64_t i = 0; i < rows; ++i) {
        const auto row = oracle::attend_row(problem, 0, static_cast<std::size_t>(7 + i * request.rows.step));
        const auto at = static_cast<std::size_t>(head * rows + i);
        for (std::size_t e = 0; e < 64; ++e)
          worst_output =
              std::max(worst_output,
                       std::abs(static_cast<double>(found.output.values()[at * 64 + e]) - row.output[e]));
        worst_rest = std::max({worst_rest, std::abs(found.log_sum_exp.values()[at] - row.log_sum_exp),
                               std::abs(static_cast<double>(found.entropy.values()[at]) - row.entropy)});
      }
    const std::string name = bfloat ? "far rows, bfloat16" : "far rows, float32";
    card.report(name + ": output off by", worst_output, "");
    card.report(name + ": log-sum-exp and entropy off by", worst_rest, "");
    // Queries and keys were not rounded beforehand.
    if (!(worst_output < (bfloat ? 2e-2 : 2e-5) && worst_rest < (bfloat ? 2e-2 : 1e-4)))
      card.check(name, "is something else");
  }
}

void determinism(Card& card) {
  const Numbers numbers(3, card.emulated ? 200 : 5000, 64);
  const auto device = card.open();
  for (const bool bfloat : {false, true})
    for (const std::int64_t cell : {16, 64}) {
      SweepRequest request;
      request.received = request.strongest = true;
      request.picture = PooledCells{cell, cell};
      const Sweep first = swept(*device, numbers.problem, request, bfloat);
      for (int again = 0; again < 3; ++again) {
        const Sweep second = swept(*device, numbers.problem, request, bfloat);
        const auto same = [](const auto& a, const auto& b) {
          return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(*a.data())) == 0;
        };
        if (!same(first.output, second.output) || !same(first.entropy, second.entropy) ||
            !same(first.log_sum_exp, second.log_sum_exp) || !same(first.received, second.received) ||
            !same(first.mean, second.mean) || !same(first.max, second.max) ||
            first.strongest != second.strongest)
          card.check("determinism", "two runs differ");
      }
    }
  card.report("runs that agree to the bit", 4 * 3, "pairs");
}

}  // namespace attnscope::on_card
