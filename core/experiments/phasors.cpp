// core/experiments: rotary positions as phasors: pair i of a query and a key a distance Δ apart adds
// |q_i||k_i| cos(θ_i Δ + φ_i) to the score, θ_i = base^(−2i/d) (Su et al. 2021, section 3.2.2). Measured over
// the distance: the sum, the number of pairs that have made a full turn, and the least difference to a nearer
// distance; also with position interpolation (Chen et al. 2023) and with a larger base.
#include <array>
#include <cmath>
#include <numbers>

#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"

namespace attnscope::experiments {
namespace {

constexpr int phasor_pairs = 32, phasor_tokens = 64;
constexpr std::size_t phasor_seeds = 24;
constexpr double usual_base = 10'000, large_base = 500'000;  // of Su et al. 2021; of Llama 3
constexpr double interpolated = 8;                           // the divisor of distances
constexpr double full_turn = 2 * std::numbers::pi;

struct PhasorKind {
  double base, divisor;
};
constexpr std::array phasor_kinds{PhasorKind{usual_base, 1}, PhasorKind{usual_base, interpolated},
                                  PhasorKind{large_base, 1}};

double angle(const PhasorKind& kind, int pair, double distance) {
  return distance / kind.divisor * std::pow(kind.base, -static_cast<double>(pair) / phasor_pairs);
}

/// Root mean square over the first `pairs` of |e^(iθδ) − 1|: how different the phasors of two distances are
/// that differ by δ.
double chord(const PhasorKind& kind, int pairs, double difference) {
  double sum = 0;
  for (int i = 0; i < pairs; ++i) sum += 2 - 2 * std::cos(angle(kind, i, difference));
  return std::sqrt(std::max(0., sum) / pairs);
}

/// The least chord to a distance that is smaller by 1 … `distance`.
double nearest_chord(const PhasorKind& kind, int pairs, double distance) {
  double least = std::numeric_limits<double>::quiet_NaN();
  for (double difference = 1; difference <= distance; ++difference) {
    const double now = chord(kind, pairs, difference);
    if (!(now >= least)) least = now;
  }
  return least;
}

void add_sums(Seeds& seeds, double distance) {
  using N = PhasorNumbers;
  for (std::uint64_t seed = 1; seed <= phasor_seeds; ++seed) {
    const Matrix q =
        normals(seed, "query", 2, phasor_pairs);  // a column is a pair; the key is the same vector
    const Eigen::RowVectorXd energy = q.colwise().squaredNorm();
    for (std::size_t k = 0; k < phasor_kinds.size(); ++k) {
      double sum = 0;
      for (int i = 0; i < phasor_pairs; ++i) sum += energy(i) * std::cos(angle(phasor_kinds[k], i, distance));
      seeds.add(N::SumA + k, sum / energy.sum());
    }
  }
}

Measured measure_phasors(double distance, const std::stop_token& stop) {
  using N = PhasorNumbers;
  stop_when_asked(stop);
  Seeds seeds(N::Count);
  add_sums(seeds, distance);
  double formula = 0;
  for (int i = 0; i < phasor_pairs; ++i)
    formula += std::cos(angle(phasor_kinds[0], i, distance)) / phasor_pairs;
  seeds.add(N::Formula, formula);
  for (std::size_t k = 0; k < phasor_kinds.size(); ++k) {
    double turned = 0;
    for (int i = 0; i < phasor_pairs; ++i) turned += angle(phasor_kinds[k], i, distance) >= full_turn ? 1 : 0;
    seeds.add(N::TurnedA + k, turned);
    stop_when_asked(stop);
    seeds.add(N::NearestA + k, nearest_chord(phasor_kinds[k], phasor_pairs, distance));
  }
  seeds.add(N::NearestFastest, nearest_chord(phasor_kinds[0], 1, distance));
  seeds.add(N::Slowest, angle(phasor_kinds[0], phasor_pairs - 1, distance) * 360 / full_turn);
  return seeds.bands();
}

/// All tokens have the same vector, so scores depend on the distance alone.
States phasor_states(double) {
  const Matrix one = normals(1, "query", 1, 2 * phasor_pairs);
  const Matrix same = one.replicate(phasor_tokens, 1),
               v = normals(1, "values", phasor_tokens, 2 * phasor_pairs);
  States out{given_document({&same, 1}, {&same, 1}, {&v, 1}), {}};
  out.a.layer().positions = Positions::RopeHalf;
  out.b = out.a;
  PositionSettings& settings = out.b->layer().position_settings;
  settings.rope_scaling = RopeScaling::Linear;
  settings.rope_factor = static_cast<float>(interpolated);
  return out;
}

}  // namespace

std::vector<double> phasor_angles(double distance, bool is_interpolated) {
  std::vector<double> angles;
  for (int i = 0; i < phasor_pairs; ++i)
    angles.push_back(angle(phasor_kinds[is_interpolated ? 1 : 0], i, distance));
  return angles;
}

Experiment phasors_experiment() {
  return {.name = "phasors",
          .values = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 44, 64, 96, 128, 256, 512, 1024, 2048, 4096, 8192},
          .rest = 11,
          .seeds = phasor_seeds,
          .quantities = {"sum", "sum_interpolated", "sum_base_500000", "sum_equal_pairs", "turned",
                         "turned_interpolated", "turned_base_500000", "nearest", "nearest_interpolated",
                         "nearest_base_500000", "nearest_fastest_pair", "slowest_degrees"},
          .measure = measure_phasors,
          .states = phasor_states};
}

}  // namespace attnscope::experiments
