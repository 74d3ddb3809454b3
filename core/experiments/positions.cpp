// core/experiments: attention without positions is permutation-equivariant: permuted tokens give permuted
// outputs (Vaswani et al. 2017, section 3.5). The effect of each scheme and of the causal mask, computed by
// the engine.
#include <array>
#include <cmath>
#include <numeric>

#include "core/engine/pipeline.hpp"
#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"
#include "core/weights/make_weights.hpp"

namespace attnscope::experiments {
namespace {

constexpr Eigen::Index order_tokens = 32, order_model = 64;
constexpr int order_heads = 4;
constexpr std::size_t order_seeds = 6;
constexpr std::array order_schemes{Positions::None,    Positions::Sinusoidal,
                                   Positions::Learned, Positions::RelativeBuckets,
                                   Positions::Alibi,   Positions::RopeHalf};

/// The permutation that sorts random numbers of the seed.
std::vector<Eigen::Index> order_shuffled(std::uint64_t seed) {
  const Matrix keys = normals(seed, "shuffle", order_tokens, 1);
  std::vector<Eigen::Index> order(order_tokens);
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::ranges::sort(order, {}, [&](Eigen::Index i) { return keys(i, 0); });
  return order;
}

Document order_document(std::uint64_t seed, Positions scheme, bool causal,
                        const std::vector<Eigen::Index>* order) {
  const Matrix x = normals(seed, "tokens", order_tokens, order_model);
  Tensor vectors({1, order_tokens, order_model});
  for (Eigen::Index i = 0; i < order_tokens; ++i)
    vectors.matrix(0).row(i) =
        x.row(order == nullptr ? i : (*order)[static_cast<std::size_t>(i)]).cast<float>();
  Document document;
  LayerSpec& layer = document.layer();
  layer.d_model = order_model;
  layer.heads = order_heads;
  layer.weights.seed = seed;
  document =
      with_weights(std::move(document));  // while the input is text: given vectors come with given weights
  document.input.numbers = Vectors{.query = std::make_shared<const Tensor>(std::move(vectors))};
  document.layer().weights.recipe = document.layer().weights.made_by = Recipe::Given;
  document.layer().positions = scheme;
  document.layer().masking.causal = causal;
  return document;
}

LayerResultPtr order_run(const Document& document, const std::stop_token& stop) {
  Pipeline pipeline(make_cpu_backend(1));
  return pipeline.run(document, stop)->layers.front();
}

Matrix head_of(const LayerResult& layer, Stage stage, int head) {
  return layer.trace[stage]->matrix(0, head).cast<double>();
}

void measure_order(Seeds& seeds, std::uint64_t seed, Positions scheme, bool causal,
                   const std::stop_token& stop) {
  using N = PositionNumbers;
  const std::size_t b = causal ? 1 : 0;
  const std::vector<Eigen::Index> order = order_shuffled(seed);
  const LayerResultPtr plain = order_run(order_document(seed, scheme, causal, nullptr), stop),
                       shuffled = order_run(order_document(seed, scheme, causal, &order), stop),
                       without = order_run(order_document(seed, Positions::None, causal, nullptr), stop);
  const Matrix y = plain->trace[Stage::Output]->matrix(0).cast<double>(),
               moved = shuffled->trace[Stage::Output]->matrix(0).cast<double>();
  double off = 0;
  for (Eigen::Index i = 0; i < order_tokens; ++i)
    off += (moved.row(i) - y.row(order[static_cast<std::size_t>(i)])).squaredNorm();
  seeds.add(N::ShuffledA + b, std::sqrt(off) / y.norm());
  double near = 0, entropy = 0, variation = 0;
  for (int head = 0; head < order_heads; ++head) {
    const Matrix weights = head_of(*plain, Stage::Softmax, head);
    variation += mean_variation(weights, head_of(*without, Stage::Softmax, head)) / order_heads;
    for (Eigen::Index i = 1; i < order_tokens; ++i) {  // the first causal query has no choice
      const double keys = static_cast<double>(causal ? i + 1 : order_tokens);
      for (Eigen::Index j = 0; j < order_tokens; ++j)
        if (std::abs(i - j) <= 2) near += weights(i, j) / (order_tokens - 1) / order_heads;
      entropy += entropy_of(weights.row(i)) / std::log(keys) / (order_tokens - 1) / order_heads;
    }
  }
  seeds.add(N::NearA + b, near);
  seeds.add(N::MovedA + b, variation);
  seeds.add(N::EntropyA + b, entropy);
}

Measured measure_positions(double scheme, const std::stop_token& stop) {
  using N = PositionNumbers;
  Seeds seeds(N::Count);
  const Positions positions = order_schemes.at(static_cast<std::size_t>(scheme));
  for (std::uint64_t seed = 1; seed <= order_seeds; ++seed) {
    stop_when_asked(stop);
    for (const bool causal : {false, true}) measure_order(seeds, seed, positions, causal, stop);
  }
  double even = 0;
  for (Eigen::Index i = 1; i < order_tokens; ++i)
    even += static_cast<double>(std::min<Eigen::Index>(order_tokens - 1, i + 2) -
                                std::max<Eigen::Index>(0, i - 2) + 1) /
            order_tokens / (order_tokens - 1);
  seeds.add(N::NearEven, even);
  return seeds.bands();
}

States positions_states(double scheme) {
  const Positions positions = order_schemes.at(static_cast<std::size_t>(scheme));
  const std::vector<Eigen::Index> order = order_shuffled(1);
  return {order_document(1, positions, false, nullptr), order_document(1, positions, false, &order)};
}

}  // namespace

Experiment positions_experiment() {
  return {.name = "positions",
          .values = {0, 1, 2, 3, 4, 5},
          .rest = 0,
          .seeds = order_seeds,
          .quantities = {"shuffled", "shuffled_causal", "near", "near_causal", "near_even", "moved",
                         "moved_causal", "entropy", "entropy_causal"},
          .measure = measure_positions,
          .states = positions_states};
}

}  // namespace attnscope::experiments
