// Rotary positions of every scaling against transformers', and their properties.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/compare.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/transformer/positions/rotate_in_place.hpp"

namespace attnscope::rope_test {
namespace {

using compare::difference;

std::vector<std::int64_t> counted(std::int64_t first, std::int64_t n) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(n));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

/// [heads][rows][d], each head rotated.
Tensor turned(const RopeSettings& rope, Tensor x, std::int64_t first = 0,
              Positions kind = Positions::RopeHalf) {
  ThreadPool pool(2);
  const std::int64_t heads = x.shape()[0], rows = x.shape()[1], d = x.shape()[2];
  rotate_in_place(Work{pool, {}}, kind, rope_frequencies(rope, first + rows), counted(first, rows),
                  {x.data(), rows, heads, d, rows * d});
  return x;
}

}  // namespace

TEST_CASE("rotary positions of every scaling equal transformers'", "[rope]") {
  const std::filesystem::path path =
      std::filesystem::path(ATTNSCOPE_SHARED) / "vectors/torch_mha/rope.safetensors";
  if (!exists(path)) SKIP("no file shared/vectors/torch_mha/rope.safetensors");
  const SafetensorsFile file(path);
  const auto read = [&](const std::string& name) { return to_tensor<float>(*file.find(name), path); };
  RopeSettings plain;
  plain.rotated = 16;
  const auto with = [&](double base, RopeScaling scaling, double factor, std::int64_t trained) {
    RopeSettings rope = plain;
    rope.base = base;
    rope.scaling = scaling;
    rope.factor = factor;
    rope.trained_positions = trained;
    return rope;
  };
  const std::vector<std::pair<std::string, RopeSettings>> kinds{
      {"default", plain},
      {"theta1e6", with(1e6, RopeScaling::None, 1, 0)},
      {"linear", with(1e4, RopeScaling::Linear, 4, 0)},
      {"dynamic", with(1e4, RopeScaling::Dynamic, 4, 32)},
      {"yarn", with(1e4, RopeScaling::Yarn, 4, 16)},
      {"llama3", with(5e5, RopeScaling::Llama3, 8, 32)},
  };
  for (const auto& [name, rope] : kinds) {
    CAPTURE(name);
    // inv_freq: a rounding or two of a float, of numbers down to 1e-6.
    const Tensor frequency = read(name + ".inv_freq");
    const RopeFrequencies found = rope_frequencies(rope, 40);
    REQUIRE(std::ssize(found.frequency) == frequency.size());
    for (std::size_t i = 0; i < found.frequency.size(); ++i)
      CHECK(std::abs(found.frequency[i] / frequency.values()[i] - 1) < 3e-7f);
    // An angle of 40 has four roundings of 2e-6 in it.
    for (const std::string which : {"q", "k"}) {
      Tensor x = read(which);
      const Tensor expected = read(name + "." + which + "_rot");
      const Shape shape{x.shape()[1], x.shape()[2], x.shape()[3]};
      const Tensor result = turned(rope, std::move(x).reshaped(shape));
      CHECK(difference<float>(result.values(), compare::in_double(expected), 5e-6) == "");
    }
  }
}

TEST_CASE("products of turned rows depend on the distance alone", "[rope]") {
  RopeSettings rope;
  rope.rotated = 6;  // of 8: the last two stay
  for (const Positions kind : {Positions::RopeHalf, Positions::RopeInterleaved}) {
    Tensor q(Shape{1, 12, 8}), k(Shape{1, 12, 8});
    for (std::int64_t row = 0; row < 12; ++row) {
      for (std::int64_t i = 0; i < 8; ++i) {
        q.data()[row * 8 + i] = std::sin(static_cast<float>(i) + 1);
        k.data()[row * 8 + i] = std::cos(static_cast<float>(2 * i));
      }
    }
    const Tensor near = turned(rope, q, 0, kind), keys = turned(rope, k, 0, kind);
    const auto product = [&](std::int64_t i, std::int64_t j) {
      return static_cast<double>(near.matrix(0).row(i).dot(keys.matrix(0).row(j)));
    };
    for (std::int64_t i = 0; i < 6; ++i) CHECK(std::abs(product(i + 3, i) - product(9, 6)) < 1e-5);
    for (std::int64_t row = 0; row < 12; ++row)
      for (std::int64_t i = 6; i < 8; ++i) CHECK(near.matrix(0)(row, i) == q.matrix(0)(row, i));
    CHECK(turned(rope, q, 0, kind).matrix(0).row(0) == q.matrix(0).row(0));  // position 0 is not rotated
  }
}

TEST_CASE("kinds of scaling are found by the names of config files, and no others", "[rope]") {
  CHECK(rope_scaling_from("default") == RopeScaling::None);
  CHECK(rope_scaling_from("linear") == RopeScaling::Linear);
  CHECK(rope_scaling_from("dynamic") == RopeScaling::Dynamic);
  CHECK(rope_scaling_from("yarn") == RopeScaling::Yarn);
  CHECK(rope_scaling_from("llama3") == RopeScaling::Llama3);
  CHECK(rope_scaling_from("longrope") == RopeScaling::LongRope);
  CHECK(rope_scaling_from("su") == RopeScaling::LongRope);
  CHECK_FALSE(rope_scaling_from("proportional"));
}

TEST_CASE("frequencies between the bands of YaRN and Llama 3 are mixed as their definitions say", "[rope]") {
  // YaRN (Peng et al. 2023): from dimension 5.2, which turns 32 times within 4096 positions, rounded down, to
  // dimension 11.3, which turns once, rounded up.
  RopeSettings yarn;
  yarn.rotated = 32;
  yarn.scaling = RopeScaling::Yarn;
  yarn.factor = 8;
  yarn.trained_positions = 4096;
  const std::vector<double> mixed = exact_rope_frequencies(yarn, 10).frequency;
  for (std::size_t i = 0; i < 16; ++i) {
    const double whole = std::pow(1e4, -static_cast<double>(i) / 16);
    const double share = i <= 5 ? 0 : i >= 12 ? 1 : (static_cast<double>(i) - 5) / 7;
    CHECK(std::abs(mixed[i] / ((1 - share) * whole + share * whole / 8) - 1) < 1e-12);
  }
  // Llama 3.1: waves of up to 2048 positions stay, those of 8192 and more are 8 times as long.
  RopeSettings llama;
  llama.rotated = 128;
  llama.base = 5e5;
  llama.scaling = RopeScaling::Llama3;
  llama.factor = 8;
  llama.trained_positions = 8192;
  const std::vector<double> stretched = exact_rope_frequencies(llama, 10).frequency;
  int between = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const double whole = std::pow(5e5, -static_cast<double>(i) / 64),
                 turns = 8192 * whole / 6.283185307179586;
    const double kept = std::clamp((turns - 1) / 3, 0.0, 1.0);
    between += kept > 0 && kept < 1;
    CHECK(std::abs(stretched[i] / (kept * whole + (1 - kept) * whole / 8) - 1) < 1e-12);
  }
  CHECK(between >= 5);
}

TEST_CASE("divisors of a file divide each frequency, behind every scaling", "[rope]") {
  RopeSettings rope;
  rope.rotated = 8;
  rope.scaling = RopeScaling::Linear;
  rope.factor = 4;
  const std::vector<double> before = exact_rope_frequencies(rope, 10).frequency;
  rope.divisors = {1, 2, 5, 40};
  const std::vector<double> after = exact_rope_frequencies(rope, 10).frequency;
  REQUIRE(after.size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(std::abs(after[i] * static_cast<double>(rope.divisors[i]) / before[i] - 1) < 1e-15);
}

}  // namespace attnscope::rope_test
