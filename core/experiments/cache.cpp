// core/experiments: decoding with the keys and values of earlier tokens kept (Shazeer 2019, section 2.4.1),
// and with only some of them kept: a window, the first ones and a window (Xiao et al. 2023, section 3), half
// recent and half of most attention so far (Zhang et al. 2023, "H2O", section 4).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/analysis/cost.hpp"
#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"

namespace attnscope::experiments {
namespace {

constexpr Eigen::Index cache_width = 32, cache_budget = 64, cache_firsts = 4, cache_last_queries = 8;
constexpr std::size_t cache_seeds = 6;
constexpr double cache_sink = 4, cache_slope = 1. / 32, cache_bonus = 2.5, cache_sink_value = 0.1;
constexpr Eigen::Index cache_every = 32;  // one key in this many gets a bonus from all queries

struct CacheDraw {
  Matrix q, k, v;
};
CacheDraw cache_draw(std::uint64_t seed, Eigen::Index n) {
  CacheDraw draw{normals(seed, "queries", n, cache_width), normals(seed, "keys", n, cache_width),
                 normals(seed, "values", n, cache_width)};
  draw.v.row(0) *= cache_sink_value;
  return draw;
}

/// The bias added to q·k/√d: a sink on key 0, a distance penalty, and a bonus for keys that all queries
/// attend to.
double cache_bias(Eigen::Index i, Eigen::Index j) {
  return (j == 0 ? cache_sink : 0) - cache_slope * static_cast<double>(j == 0 ? 0 : i - j) +
         (j % cache_every == cache_every / 2 ? cache_bonus : 0);
}

/// The weights of query i over keys 0 … i.
Eigen::RowVectorXd cache_row(const CacheDraw& draw, Eigen::Index i) {
  Matrix logits = draw.q.row(i) * draw.k.topRows(i + 1).transpose() / std::sqrt(double{cache_width});
  for (Eigen::Index j = 0; j <= i; ++j) logits(0, j) += cache_bias(i, j);
  return softmax_rows(logits).row(0);
}

struct KeptError {
  double error, mass;
};
/// The relative error of the output when query i mixes only these keys with renormalised weights, and the
/// kept weight.
KeptError kept_error(const CacheDraw& draw, const Eigen::RowVectorXd& weights,
                     const std::vector<bool>& kept) {
  const Eigen::RowVectorXd whole = weights * draw.v.topRows(weights.size());
  Eigen::RowVectorXd few = weights;
  for (Eigen::Index j = 0; j < few.size(); ++j)
    if (!kept[static_cast<std::size_t>(j)]) few(j) = 0;
  const double mass = few.sum();
  const Eigen::RowVectorXd mixed = few / mass * draw.v.topRows(weights.size());
  return {(mixed - whole).norm() / whole.norm(), mass};
}

std::vector<bool> kept_window(Eigen::Index i, Eigen::Index firsts) {
  std::vector<bool> kept(static_cast<std::size_t>(i) + 1, false);
  for (Eigen::Index j = 0; j <= i; ++j)
    kept[static_cast<std::size_t>(j)] = j < firsts || j > i - (cache_budget - firsts);
  return kept;
}

std::vector<bool> kept_heavy(Eigen::Index i, const Eigen::RowVectorXd& received) {
  constexpr Eigen::Index half = cache_budget / 2;
  std::vector<bool> kept(static_cast<std::size_t>(i) + 1, false);
  std::vector<Eigen::Index> earlier(static_cast<std::size_t>(std::max<Eigen::Index>(0, i + 1 - half)));
  std::iota(earlier.begin(), earlier.end(), Eigen::Index{0});
  const auto most = std::min<std::ptrdiff_t>(half, std::ssize(earlier));
  std::partial_sort(earlier.begin(), earlier.begin() + most, earlier.end(),
                    [&](Eigen::Index a, Eigen::Index b) {
                      return received(a) != received(b) ? received(a) > received(b) : a < b;
                    });
  for (std::ptrdiff_t e = 0; e < most; ++e)
    kept[static_cast<std::size_t>(earlier[static_cast<std::size_t>(e)])] = true;
  for (Eigen::Index j = std::max<Eigen::Index>(0, i + 1 - half); j <= i; ++j)
    kept[static_cast<std::size_t>(j)] = true;
  return kept;
}

void measure_eviction(Seeds& seeds, std::uint64_t seed, Eigen::Index n, const std::stop_token& stop) {
  using N = CacheNumbers;
  const CacheDraw draw = cache_draw(seed, n);
  Eigen::RowVectorXd received = Eigen::RowVectorXd::Zero(n);
  std::array<KeptError, 3> sums{};
  for (Eigen::Index i = 0; i < n; ++i) {
    if (i % 64 == 0) stop_when_asked(stop);
    const Eigen::RowVectorXd weights = cache_row(draw, i);
    received.head(i + 1) += weights;
    if (i < n - cache_last_queries) continue;
    const std::array<std::vector<bool>, 3> kept{kept_window(i, 0), kept_window(i, cache_firsts),
                                                kept_heavy(i, received)};
    for (std::size_t way = 0; way < 3; ++way) {
      const KeptError one = kept_error(draw, weights, kept[way]);
      sums[way].error += one.error / cache_last_queries;
      sums[way].mass += one.mass / cache_last_queries;
    }
  }
  for (std::size_t way = 0; way < 3; ++way) {
    seeds.add(N::WindowError + way, sums[way].error);
    seeds.add(N::WindowMass + way, sums[way].mass);
  }
}

/// A layer of d_model 512 and 8 heads, in float16.
LayerSize cache_layer(std::int64_t queries, std::int64_t keys) {
  LayerSize size;
  size.queries = queries;
  size.keys = keys;
  size.cached = keys - queries;
  size.d_model = 512;
  size.heads = size.kv_heads = 8;
  size.d_k = size.d_v = 64;
  size.bytes_per_number = 2;
  return size;
}

Measured measure_cache(double tokens, const std::stop_token& stop) {
  using N = CacheNumbers;
  Seeds seeds(N::Count);
  const auto n = static_cast<std::int64_t>(tokens);
  const LayerCost anew = cost_of(cache_layer(n, n)), cached = cost_of(cache_layer(1, n));
  seeds.add(N::FlopsA, anew.flops);
  seeds.add(N::FlopsB, cached.flops);
  seeds.add(N::BytesB, cached.cache);
  seeds.add(N::BytesKept, cost_of(cache_layer(1, std::min<std::int64_t>(n, cache_budget))).cache);
  for (std::uint64_t seed = 1; seed <= cache_seeds; ++seed) measure_eviction(seeds, seed, n, stop);
  return seeds.bands();
}

States cache_states(double tokens) {
  const auto n = static_cast<Eigen::Index>(tokens);
  const CacheDraw draw = cache_draw(1, n);
  States states{given_document({&draw.q, 1}, {&draw.k, 1}, {&draw.v, 1}), {}};
  states.a.layer().masking.causal = true;
  Tensor bias({1, 1, n, n});
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      bias.matrix()(i, j) = j > i ? 0 : static_cast<float>(cache_bias(i, j));
  Tensor evicted = bias;
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::vector<bool> kept = kept_window(i, cache_firsts);
    for (Eigen::Index j = 0; j <= i; ++j)
      if (!kept[static_cast<std::size_t>(j)]) evicted.matrix()(i, j) = -INFINITY;
  }
  states.b = states.a;
  states.a.layer().masking.additive = std::make_shared<const Tensor>(std::move(bias));
  states.b->layer().masking.additive = std::make_shared<const Tensor>(std::move(evicted));
  return states;
}

}  // namespace

Experiment cache_experiment() {
  return {.name = "cache",
          .values = {32, 64, 128, 256, 512, 1024, 2048},
          .rest = 4,
          .seeds = cache_seeds,
          .quantities = {"flops_anew", "flops_cached", "cache_bytes", "cache_bytes_kept", "error_window",
                         "error_sinks_window", "error_heaviest", "mass_window", "mass_sinks_window",
                         "mass_heaviest"},
          .measure = measure_cache,
          .states = cache_states,
          .most_shown = 256};
}

}  // namespace attnscope::experiments
