// Passes launched by hand on an emulated card: what a sweep never asks for, or hides.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "gpu/emulated_context.hpp"
#include "gpu/emulated_device.hpp"

namespace attnscope::launches_test {
namespace {

using emulator::EmulatedDevice;
using emulator::Schedule;

template <class T>
gpu::DeviceArray<T> uploaded(gpu::Device& device, const std::vector<T>& values) {
  gpu::DeviceArray<T> array(device, values.size());
  device.upload(array.data(), values.data(), values.size() * sizeof(T), 0, 1);
  return array;
}
template <class T>
std::vector<T> downloaded(gpu::Device& device, const gpu::DeviceArray<T>& array) {
  std::vector<T> values(array.size());
  device.download(values.data(), array.data(), values.size() * sizeof(T));
  return values;
}

/// One head of 150 queries and keys of 32 ones.
struct Ones {
  explicit Ones(gpu::Device& device)
      : numbers(uploaded(device, std::vector<float>(150 * 32, 1))), states(device, 150) {
    in.query = in.key = in.value = numbers.data();
    in.rule.exponent = 1.4427f;
    in.rule.scale = 1;
    in.rule.left = in.rule.right = in.rule.real_keys = -1;
    in.queries = 150, in.keys = 150, in.rows = 150;
    in.heads_per_key = in.heads = 1, in.step = 1;
  }
  gpu::DeviceArray<float> numbers;
  gpu::DeviceArray<gpu::RowState> states;
  gpu::Operands in{};
};
constexpr gpu::Units units{gpu::Arithmetic::Float, 32};

}  // namespace

TEST_CASE("Work that nobody wants any more leaves no trace", "[launches]") {
  EmulatedDevice device(Schedule::Lazy);
  const Ones ones(device);
  gpu::RowPass rows{};
  rows.in = ones.in;
  rows.rows = ones.states.data();
  rows.last_item = 3;
  rows.stale = device.current();
  gpu::ColumnPass columns{};
  columns.in = ones.in;
  columns.rows = ones.states.data();
  const gpu::DeviceArray<float> received(device, 150);
  columns.received = received.data();
  columns.received_rows = 150;
  columns.splits = 1;
  columns.last_item = 3;
  columns.stale = rows.stale;

  const auto untouched = [&](const auto& array) {
    const auto bytes = downloaded(device, array);
    const auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
    return std::all_of(from, from + bytes.size() * sizeof(bytes[0]),
                       [](unsigned char x) { return x == 0xff; });
  };
  device.make_stale();
  device.launch(rows, units, 2);
  CHECK(untouched(ones.states));
  rows.stale = device.current();
  device.launch(rows, units, 2);
  CHECK(!untouched(ones.states));
  device.launch(columns, units, 2);
  CHECK(untouched(received));
  columns.stale = device.current();
  device.launch(columns, units, 2);
  for (const float x : downloaded(device, received)) CHECK(std::abs(x - 1) < 1e-5f);
}

TEST_CASE("Each block that runs has a scratch of its own, and no more than it", "[launches]") {
  EmulatedDevice device(Schedule::Adversarial);
  const Ones ones(device);
  constexpr int blocks = 3, columns = 3;
  const gpu::DeviceArray<float> scratch(device, (blocks + 1) * columns * 3 * gpu::tile), sum(device, 9),
      most(device, 9);
  gpu::RowPass pass{};
  pass.in = ones.in;
  pass.rows = ones.states.data();
  pass.parts = {sum.data(), most.data(), columns, 64, 64};
  pass.scratch = scratch.data();
  pass.last_item = 3;
  device.launch(pass, units, blocks);
  const std::vector<float> found = downloaded(device, scratch);
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(std::isnan(found[i]) == (i >= blocks * columns * 3 * gpu::tile));
}

TEST_CASE("Operands become bfloat16 as IEEE 754 rounds: to the nearest, ties to even, NaN stays",
          "[launches]") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), up = 0x1p-8f, infinity = INFINITY;
  const std::vector<float> given{
      1,           1 + up, 1 + 3 * up, 1 + up * 1.01f, 1 + up * 0.99f, -1 - up, -1 - 3 * up,
      0x1.8p-134f, nan,    infinity,   -infinity,      3.4e38f,        0,       -0.f};
  const std::vector<float> rounded{1,         1,   1 + 4 * up, 1 + 2 * up, 1,        -1, -1 - 4 * up,
                                   0x1p-133f, nan, infinity,   -infinity,  infinity, 0,  -0.f};
  EmulatedDevice device(Schedule::Lazy);
  const auto from = uploaded(device, given);
  const gpu::DeviceArray<std::uint16_t> to(device, given.size());
  gpu::PreparePass pass{};
  pass.from = from.data();
  pass.to = to.data();
  pass.rows = static_cast<std::int64_t>(given.size());
  pass.d = pass.padded = 1;
  pass.from_row = 1;
  pass.arithmetic = gpu::Arithmetic::Bfloat;
  device.launch(pass, {}, 1);
  const auto found = downloaded(device, to);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const float x = emulator::from_bfloat(found[i]);
    INFO(given[i] << " becomes " << x << ", expected " << rounded[i]);
    if (std::isnan(given[i]))
      CHECK(std::isnan(x));
    else
      CHECK(std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(rounded[i]));
  }
}

TEST_CASE("More numbers than a launch has threads are done in rounds", "[launches]") {
  EmulatedDevice device(Schedule::Lazy);
  const auto parts = uploaded(device, std::vector<float>(3 * 2000, 2));
  const gpu::DeviceArray<float> joined(device, 2000);
  device.launch(gpu::JoinPass{parts.data(), joined.data(), 3, 2000}, {}, 2);
  for (const float x : downloaded(device, joined)) REQUIRE(x == 6);
}

}  // namespace attnscope::launches_test
