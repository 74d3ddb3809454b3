// core/experiments: key and value heads shared by groups of query heads (Ainslie et al. 2023, section 2; one
// for all: Shazeer 2019). The shared head is the mean of the group's heads, the first step of their
// conversion.
#include <cmath>

#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"

namespace attnscope::experiments {
namespace {

constexpr Eigen::Index group_tokens = 64, group_width = 8, group_model = 64;
constexpr std::size_t group_heads = 8, group_seeds = 12;
constexpr double group_alike = 0.9;  // correlation of the matrices of similar heads

struct GroupDraw {
  std::vector<Matrix> q, k, v;  // by head
};

/// W = √ρ · a shared matrix + √(1 − ρ) · the head's own, entries N(0, 1/d_model).
std::vector<Matrix> group_matrices(std::uint64_t seed, std::string_view what, double alike, const Matrix& x) {
  const Matrix shared = normals(seed, std::string(what) + " shared", group_model, group_width);
  std::vector<Matrix> heads;
  for (std::size_t h = 0; h < group_heads; ++h) {
    const Matrix own = normals(seed, std::string(what) + std::to_string(h), group_model, group_width);
    heads.push_back(x * (std::sqrt(alike) * shared + std::sqrt(1 - alike) * own) /
                    std::sqrt(double{group_model}));
  }
  return heads;
}

GroupDraw group_draw(std::uint64_t seed, double alike) {
  const Matrix x = normals(seed, "tokens", group_tokens, group_model);
  return {group_matrices(seed, "queries", 0, x), group_matrices(seed, "keys", alike, x),
          group_matrices(seed, "values", alike, x)};
}

/// The mean of each group; since x is the same, it equals the projection by the mean of the matrices.
std::vector<Matrix> pooled(const std::vector<Matrix>& heads, std::size_t groups) {
  const std::size_t each = heads.size() / groups;
  std::vector<Matrix> out;
  for (std::size_t g = 0; g < groups; ++g) {
    Matrix sum = heads[g * each];
    for (std::size_t i = 1; i < each; ++i) sum += heads[g * each + i];
    out.push_back(sum / static_cast<double>(each));
  }
  return out;
}

struct GroupRun {
  std::vector<Matrix> weights, outputs;  // by query head
};
GroupRun group_run(const std::vector<Matrix>& q, const std::vector<Matrix>& k, const std::vector<Matrix>& v) {
  GroupRun run;
  for (std::size_t h = 0; h < q.size(); ++h) {
    const std::size_t shared = h * k.size() / q.size();
    Matrix logits = q[h] * k[shared].transpose() / std::sqrt(double{group_width});
    hide_later(logits);
    run.weights.push_back(softmax_rows(logits));
    run.outputs.push_back(run.weights.back() * v[shared]);
  }
  return run;
}

void measure_group(Seeds& seeds, std::uint64_t seed, std::size_t groups, double alike, std::size_t error,
                   std::size_t distance) {
  const GroupDraw draw = group_draw(seed, alike);
  const GroupRun all = group_run(draw.q, draw.k, draw.v);
  const GroupRun few = group_run(draw.q, pooled(draw.k, groups), pooled(draw.v, groups));
  double off = 0, whole = 0, moved = 0;
  for (std::size_t h = 0; h < group_heads; ++h) {
    off += (few.outputs[h] - all.outputs[h]).squaredNorm();
    whole += all.outputs[h].squaredNorm();
    moved += mean_variation(few.weights[h], all.weights[h]);
  }
  seeds.add(error, std::sqrt(off / whole));
  seeds.add(distance, moved / static_cast<double>(group_heads));
}

Measured measure_grouped(double key_heads, const std::stop_token& stop) {
  using N = GroupedNumbers;
  Seeds seeds(N::Count);
  const auto groups = static_cast<std::size_t>(key_heads);
  const auto bytes = [](double heads) { return heads * 2 * group_width * 2; };  // K and V, two bytes each
  const auto parameters = [](double heads) { return heads * 2 * group_width * group_model; };
  for (std::uint64_t seed = 1; seed <= group_seeds; ++seed) {
    stop_when_asked(stop);
    measure_group(seeds, seed, groups, 0, N::ErrorB, N::DistanceB);
    measure_group(seeds, seed, groups, group_alike, N::ErrorAlike, N::DistanceAlike);
    seeds.add(N::BytesA, bytes(group_heads));
    seeds.add(N::BytesB, bytes(key_heads));
    seeds.add(N::ParametersA, parameters(group_heads));
    seeds.add(N::ParametersB, parameters(key_heads));
  }
  return seeds.bands();
}

States grouped_states(double key_heads) {
  const GroupDraw draw = group_draw(1, 0);
  const auto groups = static_cast<std::size_t>(key_heads);
  States states{given_document(draw.q, draw.k, draw.v),
                given_document(draw.q, pooled(draw.k, groups), pooled(draw.v, groups))};
  for (Document* document : {&states.a, &*states.b}) document->layer().masking.causal = true;
  return states;
}

}  // namespace

Experiment grouped_experiment() {
  return {.name = "grouped",
          .values = {8, 4, 2, 1},
          .rest = 2,
          .seeds = group_seeds,
          .quantities = {"cache_bytes", "cache_bytes_grouped", "parameters", "parameters_grouped",
                         "output_error_independent", "output_error_alike", "weights_moved_independent",
                         "weights_moved_alike"},
          .measure = measure_grouped,
          .states = grouped_states};
}

}  // namespace attnscope::experiments
