// The experiments on masks, positions and null spaces against float64 loops: every number, not only its
// properties.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "against_oracle.hpp"
#include "core/engine/pipeline.hpp"
#include "core/experiments/experiment.hpp"
#include "core/experiments/quantities.hpp"
#include "core/weights/make_weights.hpp"
#include "naive_experiments.hpp"

namespace attnscope::experiments_oracle_test {
namespace {

using namespace experiments;
using namespace naive;
using Catch::Approx;

void check_band(const Measured& out, std::size_t quantity, const std::vector<double>& numbers, double close) {
  INFO("quantity " << quantity);
  CHECK(out[quantity].typical == Approx(mean(numbers)).epsilon(close).margin(close));
  CHECK(out[quantity].least == Approx(*std::ranges::min_element(numbers)).epsilon(close).margin(close));
  CHECK(out[quantity].greatest == Approx(*std::ranges::max_element(numbers)).epsilon(close).margin(close));
}

}  // namespace

namespace {

constexpr std::size_t tokens = 16, width = 16;
enum Way : int { Right, Billion, Added, Least, After, Diagonal, Transposed, Open };

struct Hidden {
  Numbers weights, output;
};

/// One head under this way of masking, by its definition.
Hidden hidden(std::uint64_t seed, std::uint64_t last, Way way) {
  std::array<Numbers, 3> qkv{drawn(seed, "queries", tokens * width), drawn(seed, "keys", tokens * width),
                             drawn(seed, "values", tokens * width)};
  const std::array<const char*, 3> ends{"last query", "last key", "last value"};
  for (std::size_t i = 0; i < 3; ++i)
    std::ranges::copy(drawn(last, ends[i], width), qkv[i].end() - static_cast<std::ptrdiff_t>(width));
  Hidden out;
  for (std::size_t i = 0; i < tokens; ++i) {
    Numbers row;
    const auto is_hidden = [&](std::size_t j) {
      if (way == Open) return false;
      if (way == Transposed) return j < i;
      return way == Diagonal ? j >= i : j > i;
    };
    for (std::size_t j = 0; j < tokens; ++j) {
      const double score = dot(qkv[0], i, qkv[1], j, width) / std::sqrt(16.);
      double masked = -INFINITY;
      if (way == Billion) masked = -1e9;
      if (way == Added) masked = score - 1e9;
      if (way == Least) masked = -3.4028234663852886e38;
      row.push_back(is_hidden(j) && way != After ? masked : score);
    }
    Numbers w(tokens);
    if (std::ranges::any_of(row, [](double s) { return std::isfinite(s); })) w = softmax(row);
    for (std::size_t j = 0; j < tokens; ++j)
      if (way == After && is_hidden(j)) w[j] = 0;
    out.weights.insert(out.weights.end(), w.begin(), w.end());
  }
  out.output = product(out.weights, qkv[2], tokens, tokens, width);
  return out;
}

}  // namespace

TEST_CASE("experiments: what every mask leaks, loses and lets through, against loops", "[experiments]") {
  using N = MaskNumbers;
  for (int way = Right; way <= Open; ++way) {
    CAPTURE(way);
    const Measured out = find("masks")->measure(way, {});
    Numbers leaks, sums, reaches;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Hidden run = hidden(seed, seed, static_cast<Way>(way)),
                   other = hidden(seed, seed + 1000, static_cast<Way>(way));
      double leak = 0, off = 0, reach = 0;
      for (std::size_t i = 0; i < tokens; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < tokens; ++j) {
          sum += run.weights[i * tokens + j];
          if (j > i) leak += run.weights[i * tokens + j] / (tokens - 1);
        }
        off = std::max(off, std::abs(1 - sum));
        for (std::size_t c = 0; c < width && i + 1 < tokens; ++c)
          reach = std::max(reach, std::abs(run.output[i * width + c] - other.output[i * width + c]));
      }
      leaks.push_back(leak);
      sums.push_back(off);
      reaches.push_back(reach);
    }
    // The engine computes in float32: a weight is within 1e-6 of its value, an output within a few times
    // that.
    check_band(out, N::LeakA, leaks, 2e-6);
    check_band(out, N::SumA, sums, 2e-6);
    check_band(out, N::ReachA, reaches, 1e-5);
    // In float16 within its rounding: 2^-11 of a weight, a few of them in a row.
    check_band(out, N::LeakB, leaks, 4e-3);
  }
}

namespace {

constexpr std::size_t same_count = 24, value_width = 4;

/// x of A x = b, by elimination with the largest pivot; A [n][n].
Numbers solved(Numbers a, Numbers b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r)
      if (std::abs(a[r * n + c]) > std::abs(a[pivot * n + c])) pivot = r;
    for (std::size_t k = 0; k < n; ++k) std::swap(a[c * n + k], a[pivot * n + k]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const double factor = a[r * n + c] / a[c * n + c];
      for (std::size_t k = c; k < n; ++k) a[r * n + k] -= factor * a[c * n + k];
      b[r] -= factor * b[c];
    }
  }
  for (std::size_t c = n; c-- > 0;) {
    for (std::size_t k = c + 1; k < n; ++k) b[c] -= a[c * n + k] * b[k];
    b[c] /= a[c * n + c];
  }
  return b;
}

/// The drawn direction minus its part that moves Σ w v or Σ w, by the normal equations.
Numbers kept_direction(const Numbers& v, const std::vector<std::size_t>& keys, const Numbers& pick) {
  const std::size_t m = value_width + 1;
  const auto constraint = [&](std::size_t key, std::size_t c) {
    return c < value_width ? v[key * value_width + c] : 1;
  };
  Numbers gram(m * m), right(m), direction;
  for (const std::size_t key : keys)
    for (std::size_t a = 0; a < m; ++a) {
      right[a] += constraint(key, a) * pick[key];
      for (std::size_t b = 0; b < m; ++b) gram[a * m + b] += constraint(key, a) * constraint(key, b);
    }
  const Numbers x = solved(gram, right);
  for (const std::size_t key : keys) {
    double number = pick[key];
    for (std::size_t a = 0; a < m; ++a) number -= constraint(key, a) * x[a];
    direction.push_back(number);
  }
  return direction;
}

/// Moves along such directions until no more than d_v + 1 keys have weight.
Numbers corner(const Numbers& v, Numbers w, const Numbers& pick) {
  std::vector<std::size_t> keys(same_count);
  std::iota(keys.begin(), keys.end(), 0u);
  while (keys.size() > value_width + 1) {
    const Numbers direction = kept_direction(v, keys, pick);
    double most = INFINITY;
    std::size_t first = 0;
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (direction[i] < 0 && -w[keys[i]] / direction[i] < most) {
        most = -w[keys[i]] / direction[i];
        first = i;
      }
    for (std::size_t i = 0; i < keys.size(); ++i) w[keys[i]] += most * direction[i];
    w[keys[first]] = 0;
    keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return w;
}

}  // namespace

TEST_CASE("experiments: weights moved along the null space, against loops", "[experiments]") {
  using N = SameNumbers;
  for (const double share : {0.3, 1.0}) {
    CAPTURE(share);
    const Measured out = find("same")->measure(share, {});
    std::vector<Numbers> all(N::Count);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const Numbers q = drawn(seed, "queries", same_count * 32), k = drawn(seed, "keys", same_count * 32),
                    v = drawn(seed, "values", same_count * value_width),
                    picks = drawn(seed, "directions", same_count * same_count);
      Numbers of_seed(N::Count);
      for (std::size_t i = 0; i < same_count; ++i) {
        Numbers row;
        for (std::size_t j = 0; j < same_count; ++j) row.push_back(dot(q, i, k, j, 32) / std::sqrt(32.));
        const Numbers w = softmax(row);
        const Numbers pick(picks.begin() + static_cast<std::ptrdiff_t>(i * same_count),
                           picks.begin() + static_cast<std::ptrdiff_t>((i + 1) * same_count));
        const Numbers far = corner(v, w, pick);
        Numbers moved;
        for (std::size_t j = 0; j < same_count; ++j) moved.push_back((1 - share) * w[j] + share * far[j]);
        const auto part = [](double x) { return x / same_count; };
        for (std::size_t j = 0; j < same_count; ++j)
          of_seed[N::MovedB] += part(std::abs(w[j] - moved[j]) / 2);
        of_seed[N::EntropyA] += part(entropy(w) / std::log(same_count));
        of_seed[N::EntropyB] += part(entropy(moved) / std::log(same_count));
        const auto largest = std::ranges::max_element(w);
        const auto after = std::ranges::max_element(moved);
        of_seed[N::LargestA] += part(*largest);
        of_seed[N::LargestB] += part(*after);
        of_seed[N::StrongestB] += part(largest - w.begin() != after - moved.begin() ? 1 : 0);
      }
      for (std::size_t quantity = 0; quantity < N::Count; ++quantity)
        all[quantity].push_back(of_seed[quantity]);
    }
    for (const std::size_t quantity :
         {N::MovedB, N::EntropyA, N::EntropyB, N::LargestA, N::LargestB, N::StrongestB})
      check_band(out, quantity, all[quantity], 1e-8);
  }
}

namespace {

constexpr std::size_t order_count = 32, order_width = 64, order_heads = 4;

Document order_document(std::uint64_t seed, Positions scheme, bool causal,
                        const std::vector<std::size_t>& order) {
  const Numbers x = drawn(seed, "tokens", order_count * order_width);
  Document document;
  document.layer().d_model = order_width;
  document.layer().heads = order_heads;
  document.layer().weights.seed = seed;
  document = with_weights(std::move(document));
  Tensor vectors({1, order_count, order_width});
  for (std::size_t i = 0; i < order_count; ++i)
    for (std::size_t c = 0; c < order_width; ++c)
      vectors.data()[i * order_width + c] = static_cast<float>(x[order[i] * order_width + c]);
  document.input.numbers = Vectors{.query = std::make_shared<const Tensor>(std::move(vectors))};
  document.layer().weights.recipe = document.layer().weights.made_by = Recipe::Given;
  document.layer().positions = scheme;
  document.layer().masking.causal = causal;
  return document;
}

struct Order {
  oracle::Numbers weights, output;  // [heads][n][n], [n][d_model]
};
Order order_of(const Document& document) {
  Pipeline pipeline(make_cpu_backend(1));
  const ResultPtr result = pipeline.run(document, {});
  const against_oracle::Expected expected = against_oracle::expected(document, result->layer().trace);
  return {expected.answer.weights, expected.output};
}

}  // namespace

TEST_CASE("experiments: what positions add, against the oracle", "[experiments]") {
  using N = PositionNumbers;
  constexpr std::array schemes{Positions::None,    Positions::Sinusoidal,
                               Positions::Learned, Positions::RelativeBuckets,
                               Positions::Alibi,   Positions::RopeHalf};
  std::vector<std::size_t> plain(order_count);
  std::iota(plain.begin(), plain.end(), 0u);
  for (const std::size_t scheme : {0u, 1u, 4u, 5u}) {
    CAPTURE(scheme);
    const Measured out = find("positions")->measure(static_cast<double>(scheme), {});
    std::vector<Numbers> all(N::Count);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      std::vector<std::size_t> order = plain;
      const Numbers keys = drawn(seed, "shuffle", order_count);
      std::ranges::sort(order, {}, [&](std::size_t i) { return keys[i]; });
      for (const bool causal : {false, true}) {
        const Order straight = order_of(order_document(seed, schemes[scheme], causal, plain)),
                    shuffled = order_of(order_document(seed, schemes[scheme], causal, order)),
                    without = order_of(order_document(seed, Positions::None, causal, plain));
        double off = 0, all_of_it = 0, near = 0, moved = 0, entropy_sum = 0;
        for (std::size_t i = 0; i < order_count; ++i)
          for (std::size_t c = 0; c < order_width; ++c) {
            off += std::pow(
                shuffled.output[i * order_width + c] - straight.output[order[i] * order_width + c], 2);
            all_of_it += std::pow(straight.output[i * order_width + c], 2);
          }
        for (std::size_t h = 0; h < order_heads; ++h)
          for (std::size_t i = 0; i < order_count; ++i) {
            const auto begin =
                straight.weights.begin() + static_cast<std::ptrdiff_t>((h * order_count + i) * order_count);
            const Numbers row(begin, begin + order_count);
            for (std::size_t j = 0; j < order_count; ++j) {
              const double before = without.weights[(h * order_count + i) * order_count + j];
              moved += std::abs(row[j] - before) / 2 / order_count / order_heads;
              const bool is_near = std::max(i, j) - std::min(i, j) <= 2;
              if (i > 0 && is_near) near += row[j] / (order_count - 1) / order_heads;
            }
            const double seen = static_cast<double>(causal ? i + 1 : order_count);
            if (i > 0) entropy_sum += entropy(row) / std::log(seen) / (order_count - 1) / order_heads;
          }
        const std::size_t b = causal ? 1 : 0;
        all[N::ShuffledA + b].push_back(std::sqrt(off / all_of_it));
        all[N::NearA + b].push_back(near);
        all[N::MovedA + b].push_back(moved);
        all[N::EntropyA + b].push_back(entropy_sum);
      }
    }
    // float32 of the engine: outputs are sums of 64 products of sums of 32.
    for (std::size_t quantity = 0; quantity < N::Count; ++quantity)
      if (quantity != N::NearEven) check_band(out, quantity, all[quantity], 5e-6);
  }
}

}  // namespace attnscope::experiments_oracle_test
