// Sweeps by products of warpgroups on an emulated card: the float64 oracle's numbers for any mask that such
// products do, the choice of them, and what they leave to the other kernels.
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "core/streaming_expected.hpp"
#include "gpu/emulated_context.hpp"
#include "gpu/emulated_sweeps.hpp"
#include "support/seeds.hpp"

namespace attnscope::groups_test {
namespace {

using emulator::EmulatedDevice;
using emulator::Schedule;
using streaming_cases::Case;

void round_to_bfloat(Case& c) {
  for (std::vector<float>* values : {&c.q, &c.k, &c.v})
    for (float& x : *values) x = emulator::from_bfloat(emulator::to_bfloat(x));
}

void check_case(std::uint64_t index, std::int64_t most) {
  samples::Random random(seeds::of_case("sweep by warpgroups", index));
  const auto c = streaming_cases::interval_case(random, most);
  round_to_bfloat(*c);
  const SweepRequest request = streaming_cases::any_request(random, c->problem);
  streaming_cases::Tolerances tolerances;
  tolerances.output = 4e-3;  // weights are rounded to 2^-9 before they meet the values
  const std::int64_t last = request.last_head < 0 ? c->problem.heads : request.last_head;
  const auto expected = streaming_cases::expected_of(*c, request, request.first_head, last);
  EmulatedDevice device(index % 2 == 0 ? Schedule::Lazy : Schedule::Adversarial, index);
  device.have_groups();
  gpu::CardSettings settings;
  settings.bfloat_from = 0;
  settings.groups = true;
  settings.pairs_at_once = random.coin() ? 1 : 1 << 30;
  Sweep found;
  {
    gpu::CardCopies copies(device);
    gpu::CardSweeps sweeps(device, copies, settings);
    found = sweeps.sweep(c->problem, request, {}, nullptr);
  }
  INFO("case " << index << ": " << c->description() << "; rows " << request.rows.begin << ".."
               << request.rows.end << " step " << request.rows.step << ", picture "
               << request.picture.value_or(PooledCells{0, 0}).rows_per_cell << " "
               << request.picture.value_or(PooledCells{0, 0}).keys_per_cell);
  REQUIRE(device.group_launches > 0);
  REQUIRE(streaming_cases::difference(found, expected, request, tolerances) == "");
  found = {};
  REQUIRE(device.allocated() == 0);
}

}  // namespace

TEST_CASE("A sweep by products of warpgroups of any shape, interval and request is what the oracle says",
          "[groups]") {
  for (std::uint64_t index = 0; index < 100; ++index) check_case(index, index < 60 ? 80 : 300);
}

TEST_CASE("Products of warpgroups are for cards of 9.0 and scores that are products, when they are asked for",
          "[groups]") {
  samples::Random random(4);
  const auto launches = [&](std::int64_t d, auto change) {
    const auto c = streaming_cases::plain_case(random, {2, 1, 70, 70, d, d});
    EmulatedDevice device(Schedule::Lazy);
    device.have_groups();
    gpu::CardSettings settings;
    settings.bfloat_from = 0;
    settings.groups = true;
    change(*c, device.facts_, settings);
    c->connect();
    gpu::CardCopies copies(device);
    SweepRequest request;
    request.received = true;
    const Sweep found = gpu::CardSweeps(device, copies, settings).sweep(c->problem, request, {}, nullptr);
    streaming_cases::Tolerances tolerances{3e-2, 3e-2, 3e-2, 3e-2, 3e-2, 3e-2, 3e-2, 3e-2};
    CHECK(streaming_cases::difference(found, expected_of(*c, request, 0, 2), request, tolerances) == "");
    return device.group_launches;
  };
  using gpu::CardSettings;
  using gpu::DeviceFacts;
  CHECK(launches(64, [](Case&, DeviceFacts&, CardSettings&) {}) == 1);
  CHECK(launches(100, [](Case& c, DeviceFacts&, CardSettings&) { c.problem.causal = true; }) == 1);
  CHECK(launches(64, [](Case&, DeviceFacts&, CardSettings& s) { s.groups = CardSettings{}.groups; }) == 0);
  CHECK(launches(64, [](Case&, DeviceFacts&, CardSettings& s) { s.bfloat_from = -1; }) == 0);
  CHECK(launches(32, [](Case&, DeviceFacts&, CardSettings&) {}) == 0);
  CHECK(launches(96, [](Case&, DeviceFacts&, CardSettings&) {}) == 0);
  CHECK(launches(64, [](Case&, DeviceFacts& f, CardSettings&) { f.groups = false; }) == 0);
  CHECK(launches(64, [](Case&, DeviceFacts& f, CardSettings&) { f.capability = 100; }) == 0);
  CHECK(launches(128, [](Case&, DeviceFacts& f, CardSettings&) { f.shared_bytes = 99 << 10; }) == 0);
  CHECK(launches(64, [](Case& c, DeviceFacts&, CardSettings&) { c.problem.soft_cap = 5; }) == 0);
  CHECK(launches(64, [](Case& c, DeviceFacts&, CardSettings&) { c.problem.scale *= -1; }) == 0);
  CHECK(launches(64, [](Case& c, DeviceFacts&, CardSettings&) { c.additive.assign(70 * 70, 0.5f); }) == 0);
  CHECK(launches(64, [](Case& c, DeviceFacts&, CardSettings&) { c.allowed.assign(70 * 70, 1); }) == 0);
  CHECK(launches(64, [](Case& c, DeviceFacts&, CardSettings&) { c.distance_bias.assign(139, 1); }) == 0);
}

TEST_CASE("Keys and values in tiles: rows and columns beyond the last are zeros", "[groups]") {
  constexpr int heads = 2, rows = 70, d = 100, padded = 128;
  std::vector<float> from(heads * rows * d);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i % 201);
  EmulatedDevice device(Schedule::Lazy);
  const gpu::DeviceArray<float> there(device, from.size());
  device.upload(there.data(), from.data(), from.size() * sizeof(float), 0, 1);
  const gpu::DeviceArray<std::uint16_t> to(device, heads * 2 * gpu::tile * padded);
  gpu::PreparePass pass{};
  pass.from = there.data(), pass.from_row = d, pass.to = to.data();
  pass.rows = rows, pass.d = d, pass.padded = padded;
  pass.arithmetic = gpu::Arithmetic::Bfloat;
  pass.heads = heads, pass.from_head = rows * d;
  pass.tiles = true;
  device.launch(pass, {}, 2);
  std::vector<std::uint16_t> found(to.size());
  device.download(found.data(), to.data(), to.size() * sizeof(std::uint16_t));
  for (std::size_t line = 0; line < heads * 2 * gpu::tile; ++line)
    for (std::size_t column = 0; column < padded; ++column) {
      const std::size_t head = line / (2 * gpu::tile), row = line % (2 * gpu::tile);
      const std::size_t chunk = column % 64 / 8 ^ row % 8;
      const std::size_t at =
          line / 64 * 64 * padded + column / 64 * 4096 + row % 64 * 64 + chunk * 8 + column % 8;
      const float expected = row < rows && column < d ? from[(head * rows + row) * d + column] : 0;
      REQUIRE(emulator::from_bfloat(found[at]) == expected);
    }
}

TEST_CASE("Walks of more tiles than there are stages and of several items agree to the bit on all schedules",
          "[groups]") {
  for (const std::int64_t d : {64, 128}) {
    samples::Random random(9);
    const auto c = streaming_cases::plain_case(random, {3, 3, 400, 700, d, d});
    c->problem.causal = true;
    c->problem.offset = 300;
    c->problem.left = 290;
    SweepRequest request;
    request.strongest = true;
    request.picture = PooledCells{16, 128};
    std::vector<Sweep> found;
    for (const Schedule schedule : {Schedule::Lazy, Schedule::Adversarial})
      for (const int blocks : {2, 5})
        found.push_back(emulator::sweep(
            c->problem, request, {gpu::Arithmetic::Bfloat, schedule, 5, blocks, false, 1 << 24, true}));
    streaming_cases::Tolerances tolerances{2e-2, 2e-2, 2e-2, 2e-2, 2e-2, 2e-2, 2e-2, 2e-2};
    CHECK(streaming_cases::difference(found[0], expected_of(*c, request, 0, 3), request, tolerances) == "");
    for (const Sweep& other : found) {
      CHECK(other.output == found[0].output);
      CHECK(other.log_sum_exp == found[0].log_sum_exp);
      CHECK(other.entropy == found[0].entropy);
      CHECK(other.strongest == found[0].strongest);
      CHECK(other.mean == found[0].mean);
      CHECK(other.max == found[0].max);
    }
  }
}

TEST_CASE("Warpgroups leave work that is not wanted any more, together", "[groups]") {
  samples::Random random(2);
  EmulatedDevice device(Schedule::Lazy);
  device.have_groups();
  const auto zeros = [&](std::int64_t count) {
    gpu::DeviceArray<std::uint16_t> made(device, static_cast<std::size_t>(count));
    device.clear(made.data(), made.size() * sizeof(std::uint16_t));
    return made;
  };
  const auto numbers = zeros(256 * 64);
  const gpu::DeviceArray<gpu::RowState> states(device, 256);
  gpu::RowPass pass{};
  pass.in.query = pass.in.key = numbers.data();
  pass.in.rule.exponent = pass.in.rule.scale = 1;
  pass.in.rule.left = pass.in.rule.right = pass.in.rule.real_keys = -1;
  pass.in.queries = pass.in.rows = pass.in.keys = 256;
  pass.in.heads_per_key = pass.in.heads = 1, pass.in.step = 1;
  pass.rows = states.data();
  pass.last_item = 2;
  pass.stale = device.current();
  const auto first_sum = [&] {
    std::vector<gpu::RowState> found(256);
    device.download(found.data(), states.data(), found.size() * sizeof(gpu::RowState));
    return found[0].sum;
  };
  device.make_stale();
  device.launch(pass, {gpu::Arithmetic::Bfloat, 64, true}, 1);
  CHECK(std::isnan(first_sum()));
  pass.stale = device.current();
  device.launch(pass, {gpu::Arithmetic::Bfloat, 64, true}, 1);
  CHECK(first_sum() == 256);
  CHECK(device.group_launches == 2);
}

}  // namespace attnscope::groups_test
