// The experiments on paths and null spaces against loops and differences; those computed by the engine
// (masks, positions, precision) against properties that must hold.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/experiments/experiment.hpp"
#include "core/experiments/quantities.hpp"
#include "naive_experiments.hpp"

namespace attnscope::experiments_engine_test {
namespace {

using namespace experiments;
using namespace naive;
using Catch::Approx;

Measured measured(const char* name, double value) { return find(name)->measure(value, {}); }

}  // namespace

TEST_CASE("experiments: gradients over a distance, against differences", "[experiments]") {
  using N = PathNumbers;
  constexpr std::size_t d = 8, width = 32, settle = 16;
  const Measured out = measured("path", d);
  Numbers gradients;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Numbers w = drawn(seed, "recurrent", width * width), x = drawn(seed, "inputs", (settle + d) * width);
    for (double& number : w) number /= std::sqrt(width);
    for (double& number : x) number *= 0.5;
    const auto run = [&](std::size_t nudged, double by) {
      Numbers h(width);
      for (std::size_t t = 0; t < settle + d; ++t) {
        Numbers next(width);
        for (std::size_t a = 0; a < width; ++a) {
          double sum = x[t * width + a];
          for (std::size_t b = 0; b < width; ++b) sum += w[a * width + b] * h[b];
          next[a] = std::tanh(sum);
        }
        h = next;
        if (t + 1 == settle) h[nudged] += by;
      }
      return h;
    };
    Numbers jacobian;
    for (std::size_t b = 0; b < width; ++b) {
      const Numbers up = run(b, 1e-5), down = run(b, -1e-5);
      for (std::size_t a = 0; a < width; ++a) jacobian.push_back((up[a] - down[a]) / 2e-5);
    }
    gradients.push_back(length(jacobian) / std::sqrt(width));
  }
  CHECK(out[N::GradientB].typical == Approx(middle(gradients)).epsilon(1e-6));
  CHECK(out[N::GradientB].greatest == Approx(*std::ranges::max_element(gradients)).epsilon(1e-6));

  Numbers through;  // of attention: α ‖V‖ / √width
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Numbers q = drawn(seed, "query", width), k = drawn(seed, "keys", 257 * width),
                  v = drawn(seed, "values", width * width);
    Numbers row;
    for (std::size_t j = 0; j < 257; ++j) row.push_back(dot(q, 0, k, j, 32) / std::sqrt(32));
    through.push_back(softmax(row)[256 - d] * length(v) / std::sqrt(width) / std::sqrt(width));
  }
  CHECK(out[N::GradientA].typical == Approx(middle(through)));
  CHECK(out[N::StepsCnn].typical == 4);  // 4 layers of width 3 reach 8 back
  CHECK(measured("path", 1)[N::StepsCnn].typical == 1);
  CHECK(measured("path", 256)[N::GradientB].typical < 1e-3 * measured("path", 256)[N::GradientA].typical);

  // The CNN's one path, by a small change of the token farthest back.
  constexpr std::size_t layers = 4;
  Numbers arrived;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Numbers drawn_x = drawn(seed, "inputs", (2 * layers + 1) * width);
    const auto run = [&](std::size_t nudged, double by) {
      Numbers x = drawn_x;
      for (double& number : x) number *= 0.5;
      x[nudged] += by;
      for (std::size_t layer = 0; layer < layers; ++layer) {
        const std::size_t rows = x.size() / width - 2;
        Numbers next(rows * width);
        for (std::size_t tap = 0; tap < 3; ++tap) {
          const Numbers w =
              drawn(seed, "layer " + std::to_string(layer) + " tap " + std::to_string(tap), width * width);
          for (std::size_t t = 0; t < rows; ++t)
            for (std::size_t a = 0; a < width; ++a)
              for (std::size_t b = 0; b < width; ++b)
                next[t * width + a] += w[a * width + b] / std::sqrt(3.0 * width) * x[(t + tap) * width + b];
        }
        for (double& number : next) number = std::tanh(number);
        x = next;
      }
      return x;
    };
    Numbers jacobian;
    for (std::size_t b = 0; b < width; ++b) {
      const Numbers up = run(b, 1e-4), down = run(b, -1e-4);
      for (std::size_t a = 0; a < width; ++a) jacobian.push_back((up[a] - down[a]) / 2e-4);
    }
    arrived.push_back(length(jacobian) / std::sqrt(width));
  }
  CHECK(out[N::GradientCnn].typical == Approx(middle(arrived)).epsilon(1e-5));
}

TEST_CASE("experiments: other weights give the same output", "[experiments]") {
  using N = SameNumbers;
  for (const double share : {0.0, 0.5, 1.0}) {
    const Measured out = measured("same", share);
    CHECK(out[N::OutputB].greatest < 1e-12);
    CHECK(out[N::LargestB].typical <= 1);
    CHECK((share == 0 ? out[N::MovedB].typical < 1e-15 : out[N::MovedB].typical > 0.02));
  }
  // Moving half as far moves half as much.
  CHECK(measured("same", 0.5)[N::MovedB].typical == Approx(measured("same", 1)[N::MovedB].typical / 2));
  // The picture's weights: not negative, rows sum to 1, the same mix of the same values.
  const Look seen = look(*find("same"), 1, {});
  const auto v = seen.states.a.input.given().value->matrix(0, 0);
  const auto a = seen.pictures.a.matrix(), b = seen.pictures.b.matrix();
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    CHECK((b.row(i).array() != 0).count() <= 5);  // d_v + 1
    double sum = 0;
    for (std::int64_t j = 0; j < a.cols(); ++j) {
      CHECK(b(i, j) >= 0);
      sum += static_cast<double>(b(i, j));
    }
    CHECK(sum == Approx(1).epsilon(1e-5));
    for (std::int64_t c = 0; c < v.cols(); ++c) {
      double one = 0, other = 0;
      for (std::int64_t j = 0; j < a.cols(); ++j) {
        one += static_cast<double>(a(i, j)) * static_cast<double>(v(j, c));
        other += static_cast<double>(b(i, j)) * static_cast<double>(v(j, c));
      }
      CHECK(std::abs(one - other) < 1e-5);
    }
  }
}

TEST_CASE("experiments: masks, by what they let through", "[experiments]") {
  using N = MaskNumbers;
  enum : int { Right, Billion, Added, Least, After, Diagonal, Transposed, Open };
  for (int way = 0; way <= Open; ++way) {
    INFO("way " << way);
    const Measured out = measured("masks", way);
    const bool leaks = way == Transposed || way == Open;
    CHECK((out[N::LeakA].greatest > 0.1) == leaks);
    CHECK((out[N::ReachA].greatest > 1e-6) == (leaks || way == After));
    CHECK((out[N::SumA].greatest > 1e-5) == (way == After || way == Diagonal));
    // A row without any key: equal finite logits share the weight.
    const bool finite = way == Billion || way == Added || way == Least;
    CHECK(out[N::EmptyA].typical == Approx(finite ? 1 : 0).margin(1e-6));
    // Softmax as it is written: 0 ÷ 0 of a row of nothing but −∞, which −1e9 is in float16.
    if (finite || way == After) {
      CHECK(out[N::TorchA].typical == Approx(finite ? 1 : 0).margin(1e-6));
    } else {
      CHECK(std::isnan(out[N::TorchA].typical));
    }
    if (way == Least || way == After) {
      CHECK(out[N::TorchB].typical == Approx(way == Least ? 1 : 0).margin(1e-6));
    } else {
      CHECK(std::isnan(out[N::TorchB].typical));
    }
  }
  // No mask: the weight on later keys, by loops.
  Numbers leaks;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Numbers q = drawn(seed, "queries", 256), k = drawn(seed, "keys", 256);
    const Numbers last_q = drawn(seed, "last query", 16), last_k = drawn(seed, "last key", 16);
    std::ranges::copy(last_q, q.end() - 16);
    std::ranges::copy(last_k, k.end() - 16);
    double leak = 0;
    for (std::size_t i = 0; i < 15; ++i) {
      Numbers row;
      for (std::size_t j = 0; j < 16; ++j) row.push_back(dot(q, i, k, j, 16) / 4);
      const Numbers w = softmax(row);
      for (std::size_t j = i + 1; j < 16; ++j) leak += w[j] / 15;
    }
    leaks.push_back(leak);
  }
  CHECK(measured("masks", Open)[N::LeakA].typical == Approx(mean(leaks)).epsilon(1e-5));
}

TEST_CASE("experiments: positions, by what shuffling does", "[experiments]") {
  using N = PositionNumbers;
  const Measured none = measured("positions", 0);
  CHECK(none[N::ShuffledA].greatest < 1e-5);
  CHECK(none[N::ShuffledB].least > 0.05);  // a causal mask is a position
  CHECK(none[N::MovedA].greatest == 0);
  CHECK(none[N::NearEven].typical == Approx((4 + 28 * 5 + 4 + 3) / 31. / 32));
  for (int scheme = 1; scheme < 6; ++scheme) {
    INFO("scheme " << scheme);
    const Measured out = measured("positions", scheme);
    CHECK(out[N::ShuffledA].least > 1e-3);
    CHECK(out[N::MovedA].least > 1e-3);
  }
  CHECK(measured("positions", 4)[N::NearA].typical > 1.5 * none[N::NearA].typical);  // ALiBi: near keys
}

TEST_CASE("experiments: precision, against rounding by hand", "[experiments]") {
  using N = PrecisionNumbers;
  const Measured out = measured("precision", 8);
  CHECK(out[N::ScoreSingle].typical < 1e-4);
  CHECK(out[N::WrongSingle].greatest == 0);
  CHECK(out[N::OutputSingle].typical < out[N::OutputHalf].typical);
  CHECK(out[N::OutputHalf].typical < out[N::OutputBrain].typical);
  // To 8 bits, ties to even, as bfloat16 has it.
  const auto rounded = [](double x) {
    if (x == 0) return 0.0;
    int exponent = 0;
    const double part = std::frexp(x, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(part, 8)), exponent - 8);
  };
  Numbers errors, moves;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Numbers q = drawn(seed, "queries", 64 * 64), k = drawn(seed, "keys", 64 * 64);
    Numbers exact_q, exact_k, short_q, short_k;
    for (const double number : q) exact_q.push_back(static_cast<double>(static_cast<float>(8 * number)));
    for (const double number : k) exact_k.push_back(static_cast<double>(static_cast<float>(number)));
    for (const double number : exact_q) short_q.push_back(rounded(number));
    for (const double number : exact_k) short_k.push_back(rounded(number));
    double largest = 0, moved = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      Numbers exact, stored;
      for (std::size_t j = 0; j < 64; ++j) {
        exact.push_back(dot(exact_q, i, exact_k, j, 64) / 8);
        stored.push_back(rounded(rounded(dot(short_q, i, short_k, j, 64)) / 8));
        largest = std::max(largest, std::abs(exact.back() - stored.back()));
      }
      const Numbers w = softmax(exact), s = softmax(stored);
      for (std::size_t j = 0; j < 64; ++j) moved += std::abs(w[j] - rounded(s[j])) / 2 / 64;
    }
    errors.push_back(largest);
    moves.push_back(moved);
  }
  CHECK(out[N::ScoreBrain].typical == Approx(mean(errors)).epsilon(0.01));
  CHECK(out[N::WeightBrain].typical == Approx(mean(moves)).epsilon(0.02));
  const Measured huge = measured("precision", 4096);
  CHECK(std::isnan(huge[N::ScoreHalf].typical));  // beyond 65504
  CHECK(huge[N::WrongHalf].typical > 0);
}

}  // namespace attnscope::experiments_engine_test
