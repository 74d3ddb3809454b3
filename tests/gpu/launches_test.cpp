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

TEST_CASE("Work that is not wanted any more leaves no trace", "[launches]") {
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

TEST_CASE("A stop during a launch ends it with the item that it comes in", "[launches]") {
  EmulatedDevice device(Schedule::Lazy);
  const Ones ones(device);
  const std::vector<gpu::RowState> states_of_ones(150, gpu::RowState{1.4427f * 32, 150, 0, 32});
  gpu::RowPass rows{};
  rows.in = ones.in;
  rows.rows = ones.states.data();
  rows.last_item = 3;
  rows.stale = device.current();
  int looks = 0;
  device.on_look() = [&] {
    if (++looks == 1) device.make_stale();  // the block has just seen that it is wanted
  };
  device.launch(rows, units, 1);
  CHECK(looks == 2);
  const std::vector<gpu::RowState> states = downloaded(device, ones.states);
  for (std::size_t i = 0; i < states.size(); ++i) CHECK(std::isnan(states[i].sum) == (i < 128));

  const auto known = uploaded(device, states_of_ones);
  const gpu::DeviceArray<float> received(device, 150);
  gpu::ColumnPass columns{};
  columns.in = ones.in;
  columns.rows = known.data();
  columns.received = received.data();
  columns.received_rows = 150;
  columns.splits = 1;
  columns.last_item = 3;
  columns.stale = device.current();
  looks = 0;
  device.launch(columns, units, 1);
  CHECK(looks == 2);
  const std::vector<float> found = downloaded(device, received);
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(std::isnan(found[i]) == (i >= 64));
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

TEST_CASE("Operands may lie further apart than they are long", "[launches]") {
  EmulatedDevice device(Schedule::Lazy);
  const auto from = uploaded(device, std::vector<float>{1, 2, 3, 9, 9, 4, 5, 6, 9, 9});
  const gpu::DeviceArray<float> to(device, 8);
  gpu::PreparePass pass{};
  pass.from = from.data();
  pass.from_row = 5;
  pass.to = to.data();
  pass.rows = 2;
  pass.d = 3, pass.padded = 4;
  device.launch(pass, {}, 1);
  CHECK(downloaded(device, to) == std::vector<float>{1, 2, 3, 0, 4, 5, 6, 0});
}

TEST_CASE("What measures sum of a row on the card is what they sum of it here, wherever a number is none",
          "[launches]") {
  // One head of two queries at positions 3 and 4 and six keys, of which the last two belong to no token.
  constexpr int keys = 6, token_keys = 4;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), hidden = -INFINITY;
  const std::vector<float> masked{1, 3, hidden, 2, 0.5f, -1, 2, nan, 0, 1, 1, 1},
      weights{0.125f, 0.375f, 0, 0.25f, 0.125f, 0.125f, 0.5f, nan, 0.25f, 0.25f, INFINITY, 0};
  EmulatedDevice device(Schedule::Adversarial);
  const auto on_card = uploaded(device, masked), of_weights = uploaded(device, weights);
  const auto first = uploaded(device, std::vector<int>{3}),
             key_class = uploaded(device, std::vector<int>{0, 1, 0, 2, -1, -1}),
             query_class = uploaded(device, std::vector<int>{0, -2});
  const auto marks = uploaded(
      device, std::vector<std::uint8_t>{gpu::special_token, gpu::content_word,
                                        gpu::content_word | gpu::special_token, gpu::function_word, 0, 0});
  const gpu::DeviceArray<SumsOfRow> sums(device, 2);
  gpu::MeasurePass pass{};
  pass.masked = on_card.data(), pass.weights = of_weights.data(), pass.sums = sums.data();
  pass.rows = 2, pass.heads = 1, pass.queries = 2, pass.keys = keys, pass.token_keys = token_keys;
  pass.first = first.data(), pass.key_class = key_class.data(), pass.query_class = query_class.data();
  pass.key_marks = marks.data(), pass.temperature = 0.5f;
  device.launch(pass, {}, 1);
  const std::vector<SumsOfRow> found = downloaded(device, sums);

  CHECK(found[0].largest_score == 3);
  double sum = 0, centred = 0;
  for (int key = 0; key < keys; ++key) {
    const double t = (static_cast<double>(masked[static_cast<std::size_t>(key)]) - 3) / 0.5;
    if (!std::isfinite(t)) continue;
    sum += std::exp(t);
    centred += t * std::exp(t);
  }
  CHECK(std::abs(found[0].sum - sum) < 1e-6);
  CHECK(std::abs(found[0].centred - centred) < 1e-6);
  CHECK(found[0].largest == 0.375f);
  CHECK(found[0].strongest == 1);
  CHECK(found[0].not_finite == 0);
  CHECK(found[0].squares == 0.25);
  CHECK(found[0].on_tokens == 0.75);
  CHECK(found[0].extra == 0.25);
  CHECK(found[0].special == 0.125);
  CHECK(found[0].distances == 3 * 0.125 + 2 * 0.375);
  CHECK(found[0].same == 0.125);
  CHECK(found[0].content == 0.375);
  CHECK(found[0].function_words == 0.25);
  CHECK(found[0].first == 0.125f);
  CHECK(std::vector<float>(found[0].near, found[0].near + 5) == std::vector<float>{0.375f, 0, 0.25f, 0, 0});

  CHECK(std::isnan(found[1].largest_score));
  CHECK(std::isnan(found[1].sum));
  CHECK(std::isnan(found[1].largest));
  CHECK(found[1].strongest == -1);
  CHECK(found[1].not_finite == 2);
  CHECK(found[1].same == 0);
  CHECK(std::vector<float>(found[1].near, found[1].near + 5) == std::vector<float>{0.25f, 0.25f, 0, 0, 0});
}

TEST_CASE("Columns are summed in parts that leave no row out, nor take one twice, nor padding",
          "[launches]") {
  constexpr int queries = 10, keys = 3, parts = 4, real = 7;
  std::vector<float> weights(queries * keys);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i / keys + 1);
  EmulatedDevice device(Schedule::Lazy);
  const auto from = uploaded(device, weights);
  const auto real_queries = uploaded(device, std::vector<int>{real});
  const gpu::DeviceArray<double> received(device, parts * keys);
  device.launch(gpu::ReceivedPass{from.data(), received.data(), real_queries.data(), 1, queries, keys, parts,
                                  parts * keys},
                {}, 1);
  const std::vector<double> found = downloaded(device, received);
  for (std::size_t key = 0; key < keys; ++key) {
    CHECK(found[key] == 1 + 2 + 3);
    CHECK(found[keys + key] == 4 + 5 + 6);
    CHECK(found[2 * keys + key] == 7);
    CHECK(found[3 * keys + key] == 0);
  }
}

TEST_CASE("An overview takes no number of the next plane", "[launches]") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> planes{1,  -3, 2, 2,  1,  2,  -2, 0, 0,  //  3 x 3
                                  90, 90, 9, 90, 90, 90, 90, 9, nan};
  EmulatedDevice device(Schedule::Lazy);
  const auto from = uploaded(device, planes);
  const gpu::DeviceArray<float> to(device, 8);
  device.launch(gpu::OverviewPass{from.data(), to.data(), 8, 3, 3, 2, 2, 2}, {}, 1);
  const std::vector<float> found = downloaded(device, to);
  CHECK(std::vector<float>(found.begin(), found.begin() + 4) == std::vector<float>{-3, 2, -2, 0});
  CHECK(std::isnan(found[7]));
}

}  // namespace attnscope::launches_test
