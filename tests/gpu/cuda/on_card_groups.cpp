#include <fmt/format.h>

#include "core/compare.hpp"
#include "core/streaming_expected.hpp"
#include "gpu/cuda/on_card_watch.hpp"
#include "gpu/emulated_context.hpp"
#include "support/seeds.hpp"

namespace attnscope::on_card {

namespace {

gpu::CardSettings bfloat_settings(bool groups) {
  gpu::CardSettings settings;
  settings.bfloat_from = 0;
  settings.groups = groups;
  return settings;
}

/// Empty where both kernels say the same of pass 1. They add in another order, and weights are rounded to
/// 2^-9 before they meet the values.
std::string other_than(const Sweep& found, const Sweep& expected) {
  const auto differs = [](const char* what, const auto& a, const auto& b, double tolerance) {
    const std::string text = compare::difference(a, compare::in_double(b), tolerance);
    return text.empty() ? text : fmt::format("{}: {}; ", what, text);
  };
  return differs("output", found.output, expected.output, 4e-3) +
         differs("log-sum-exp", found.log_sum_exp, expected.log_sum_exp, 2e-5) +
         differs("entropy", found.entropy, expected.entropy, 4e-5) +
         differs("largest", found.largest, expected.largest, 2e-5) +
         differs("mean", found.mean, expected.mean, 2e-5) + differs("max", found.max, expected.max, 2e-5);
}

Sweep by(TimedDevice& device, const AttentionProblem& problem, const SweepRequest& request, bool groups) {
  gpu::CardCopies copies(device);
  Sweep made = gpu::CardSweeps(device, copies, bfloat_settings(groups)).sweep(problem, request, {}, nullptr);
  for (const Tensor* tensor : {&made.output, &made.mean, &made.max}) tensor->values();
  return made;
}

void groups_against_oracle(Card& card, TimedDevice& device) {
  const int cases = card.emulated ? 4 : 200;
  for (int index = 0; index < cases; ++index) {
    samples::Random random(seeds::of_case("warpgroups on a real card", static_cast<std::uint64_t>(index)));
    const auto c = streaming_cases::interval_case(random, index % 10 == 9 && !card.emulated ? 700 : 130);
    for (std::vector<float>* values : {&c->q, &c->k, &c->v})
      for (float& x : *values) x = emulator::from_bfloat(emulator::to_bfloat(x));
    SweepRequest request = streaming_cases::any_request(random, c->problem);
    streaming_cases::Tolerances tolerances;
    for (double* one : {&tolerances.log_sum_exp, &tolerances.entropy, &tolerances.largest,
                        &tolerances.received, &tolerances.mean, &tolerances.max})
      *one *= 2;
    tolerances.output = 5e-3;
    const std::int64_t last = request.last_head < 0 ? c->problem.heads : request.last_head;
    const auto expected = streaming_cases::expected_of(*c, request, request.first_head, last);
    const std::string name = fmt::format("warpgroups {}: {}", index, c->description());
    const Sweep found = by(device, c->problem, request, true),
                before = by(device, c->problem, request, false);
    card.check(name, streaming_cases::difference(found, expected, request, tolerances));
    card.check(name + " against the other kernel", other_than(found, before));
  }
  card.report("warpgroups against the oracle and the other kernel", cases, "cases");
}

/// What the timed problems come to, row by row.
void groups_at_length(Card& card, TimedDevice& device) {
  int compared = 0;
  for (const std::int64_t d : {128, 64})
    for (const bool causal : {false, true}) {
      Numbers numbers(2, card.emulated ? 300 : 8192, d);
      numbers.problem.causal = causal;
      SweepRequest request;
      request.picture = PooledCells{64, 64};
      const Sweep found = by(device, numbers.problem, request, true);
      card.check(fmt::format("warpgroups d={} {}", d, causal ? "causal" : "full"),
                 other_than(found, by(device, numbers.problem, request, false)));
      for (int again = 0; again < 2; ++again)
        if (!(by(device, numbers.problem, request, true).output == found.output))
          card.check("warpgroups", "two runs differ");
      ++compared;
    }
  card.report("warpgroups at length against the other kernel", compared, "cases");
}

void time_groups(Card& card, std::int64_t d, std::int64_t n, bool causal) {
  const std::string name = fmt::format("d={} n={} {}", d, n, causal ? "causal" : "full");
  if (card.skips("warpgroups " + name)) return;
  Numbers numbers(card.emulated ? 1 : d == 64 ? 12 : 32, n, d);
  numbers.problem.causal = causal;
  Stopwatch with(card, bfloat_settings(true)), without(card, bfloat_settings(false));
  const double groups = with.time(numbers.problem, {}, true).rows,
               other = without.time(numbers.problem, {}, true).rows;
  const double floats =
      (causal ? 2.0 : 4.0) * static_cast<double>(n) * static_cast<double>(n * d * numbers.problem.heads);
  card.report("pass 1 groups " + name, groups, "ms");
  card.report("rate pass 1 groups " + name, floats / groups / 1e9, "TFLOP/s");
  card.report("groups / other kernel " + name, groups / other, "x");
}

}  // namespace

void warpgroups(Card& card) {
  const auto device = card.open();
  {
    gpu::CardCopies copies(*device);
    const Numbers numbers(1, 64, 64);
    const bool there = gpu::CardSweeps(*device, copies, bfloat_settings(true)).groups_of(numbers.problem);
    card.report("kernels of warpgroups for this card", there ? 1 : 0, "");
    if (!there) return;
  }
  const int before = card.failures;
  groups_against_oracle(card, *device);
  groups_at_length(card, *device);
  if (card.failures != before) return;  // how fast a wrong kernel is, is of no use
  for (const std::int64_t n : {4096, 16384})
    for (const std::int64_t d : {128, 64})
      for (const bool causal : {false, true}) time_groups(card, d, card.emulated ? n / 32 : n, causal);
}

}  // namespace attnscope::on_card
