// Sweeps on an emulated card against the float64 oracle: any shape, any mask, both arithmetics, both
// schedules.
#include "gpu/sweeps.hpp"

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/streaming_expected.hpp"
#include "gpu/emulated_context.hpp"
#include "gpu/emulated_device.hpp"
#include "support/seeds.hpp"

namespace attnscope::sweeps_test {
namespace {

using emulator::EmulatedDevice;
using emulator::Schedule;
using streaming_cases::Case;

/// Numbers that bfloat16 holds exactly: what is left are the errors of the card's own arithmetic.
void round_to_bfloat(Case& c) {
  for (std::vector<float>* values : {&c.q, &c.k, &c.v})
    for (float& x : *values) x = emulator::from_bfloat(emulator::to_bfloat(x));
}

void check_case(std::uint64_t index, std::int64_t most, gpu::Arithmetic arithmetic) {
  samples::Random random(seeds::of_case("sweep on a card", index));
  const auto c = streaming_cases::any_case(random, most);
  const SweepRequest request = streaming_cases::any_request(random, c->problem);
  streaming_cases::Tolerances tolerances;
  gpu::CardSettings settings;
  settings.pairs_at_once = random.coin() ? 1 : 1 << 30;
  settings.bfloat_from = -1;
  if (arithmetic == gpu::Arithmetic::Bfloat) {
    round_to_bfloat(*c);
    settings.bfloat_from = 0;
    // Weights are rounded to 2^-9 before they meet the values.
    tolerances.output = 4e-3;
  }
  const std::int64_t last = request.last_head < 0 ? c->problem.heads : request.last_head;
  const auto expected = streaming_cases::expected_of(*c, request, request.first_head, last);
  EmulatedDevice device(index % 2 == 0 ? Schedule::Lazy : Schedule::Adversarial, index);
  Sweep found;
  {
    gpu::CardCopies copies(device);
    found = gpu::CardSweeps(device, copies, settings).sweep(c->problem, request, {}, nullptr);
  }
  INFO("case " << index << ": " << c->description() << "; rows " << request.rows.begin << ".."
               << request.rows.end << " step " << request.rows.step << ", picture "
               << request.picture.value_or(PooledCells{0, 0}).rows_per_cell << " "
               << request.picture.value_or(PooledCells{0, 0}).keys_per_cell);
  REQUIRE(streaming_cases::difference(found, expected, request, tolerances) == "");
  found = {};
  REQUIRE(device.allocated() == 0);
}

}  // namespace

TEST_CASE("A sweep in float32 of any shape, mask and request is what the oracle says") {
  for (std::uint64_t index = 0; index < 140; ++index)
    check_case(index, index < 120 ? 70 : 200, gpu::Arithmetic::Float);
}

TEST_CASE(
    "A sweep in bfloat16 of any shape, mask and request is what the oracle says of the rounded numbers") {
  for (std::uint64_t index = 1000; index < 1140; ++index)
    check_case(index, index < 1120 ? 70 : 200, gpu::Arithmetic::Bfloat);
}

TEST_CASE("A sweep without entropies is the same in everything else") {
  samples::Random random(6);
  const auto c = streaming_cases::plain_case(random, {2, 1, 100, 150, 32, 32});
  SweepRequest request;
  request.strongest = true;
  request.picture = PooledCells{8, 64};
  const auto swept = [&](bool entropy) {
    const auto device = std::make_shared<EmulatedDevice>(Schedule::Adversarial);
    gpu::CardCopies copies(device);
    gpu::CardSettings settings;
    settings.bfloat_from = 0;
    settings.entropy = entropy;
    return gpu::CardSweeps(*device, copies, settings).sweep(c->problem, request, {}, nullptr);
  };
  const Sweep with = swept(true), without = swept(false);
  CHECK(without.output == with.output);
  CHECK(without.log_sum_exp == with.log_sum_exp);
  CHECK(without.largest == with.largest);
  CHECK(without.strongest == with.strongest);
  CHECK(without.mean == with.mean);
  CHECK_FALSE(without.entropy == with.entropy);
}

TEST_CASE("Two launches are under way at once, and progress is that of launches that have ended") {
  samples::Random random(9);
  const auto c = streaming_cases::plain_case(random, {4, 1, 300, 300, 8, 8});  // 20 items of each pass
  const auto device = std::make_shared<EmulatedDevice>(Schedule::Lazy);        // takes 3 at once
  gpu::CardCopies copies(device);
  gpu::CardSettings settings;
  settings.pairs_at_once = 1;
  SweepRequest request;
  request.received = true;
  SweepProgress progress;
  std::int64_t row_launches = 0, column_launches = 0;
  device->on_launch = [&](const gpu::AnyPass& pass) {
    const std::int64_t each = 3 * 300 / 5;  // rows, or keys, in a launch
    if (std::holds_alternative<gpu::RowPass>(pass)) {
      CHECK(progress.done == each * std::max<std::int64_t>(0, row_launches - 1));
      if (row_launches > 1) CHECK(device->under_way() == 1);  // operands are made ready before the first
      ++row_launches;
    } else if (std::holds_alternative<gpu::ColumnPass>(pass)) {
      CHECK(progress.done == 4 * 300 + each * std::max<std::int64_t>(0, column_launches - 1));
      CHECK(device->under_way() == (column_launches == 0 ? 0 : 1));
      ++column_launches;
    }
  };
  gpu::CardSweeps sweeps(*device, copies, settings);
  sweeps.sweep(c->problem, request, {}, &progress);
  CHECK(row_launches == 7);
  CHECK(column_launches == 7);
  CHECK(progress.share() == 1);

  std::stop_source source;
  row_launches = 0;
  device->on_launch = [&](const gpu::AnyPass& pass) {
    if (std::holds_alternative<gpu::RowPass>(pass) && ++row_launches == 3) source.request_stop();
  };
  CHECK_THROWS_AS(sweeps.sweep(c->problem, request, source.get_token(), nullptr), Cancelled);
  CHECK(row_launches == 3);
  CHECK(device->under_way() == 0);
}

}  // namespace attnscope::sweeps_test
