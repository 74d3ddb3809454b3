// core/experiments: attention sinks (Xiao et al. 2023, section 2): a first key with a bonus from every query
// and a small value. It is hidden, or replaced by a key of zeros (PyTorch's add_zero_attn), or by a learned
// logit without a value (OpenAI 2025, gpt-oss; with logit 0: Miller 2023, "softmax off by one").
#include <cmath>

#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"

namespace attnscope::experiments {
namespace {

constexpr Eigen::Index sink_tokens = 64, sink_width = 32;
constexpr std::size_t sink_seeds = 12;
constexpr double sink_value = 0.1;

struct SinkDraw {
  Matrix q, k, v;
};
SinkDraw sink_draw(std::uint64_t seed) {
  SinkDraw draw{normals(seed, "queries", sink_tokens, sink_width),
                normals(seed, "keys", sink_tokens, sink_width),
                normals(seed, "values", sink_tokens, sink_width)};
  draw.v.row(0) *= sink_value;
  return draw;
}

/// Weights on keys 1 … i and on the sink (key 0 or its replacement), whose logit is `nowhere`; −∞: no sink.
struct SinkRow {
  Eigen::RowVectorXd others;
  double nowhere;
};
SinkRow sink_row(const Eigen::RowVectorXd& logits, double nowhere) {
  Matrix all(1, logits.size() + 1);
  all << logits, nowhere;
  const Matrix weights = softmax_rows(all);
  return {weights.row(0).head(logits.size()), weights(0, logits.size())};
}

Measured measure_sinks(double bonus, const std::stop_token& stop) {
  using N = SinkNumbers;
  Seeds seeds(N::Count);
  for (std::uint64_t seed = 1; seed <= sink_seeds; ++seed) {
    stop_when_asked(stop);
    const SinkDraw draw = sink_draw(seed);
    const Matrix scores = draw.q * draw.k.transpose() / std::sqrt(double{sink_width});
    std::vector<double> sums(N::Count, 0);
    for (Eigen::Index i = 1; i < sink_tokens; ++i) {  // the first query sees key 0 only
      const Eigen::RowVectorXd logits = scores.row(i).segment(1, i);
      const double own = scores(i, 0) + bonus;
      const std::array<double, 4> nowhere{own, -INFINITY, 0, bonus};
      Eigen::RowVectorXd of_a;
      for (std::size_t way = 0; way < nowhere.size(); ++way) {
        const SinkRow row = sink_row(logits, nowhere[way]);
        Eigen::RowVectorXd output = row.others * draw.v.middleRows(1, i);
        if (way == 0) output += row.nowhere * draw.v.row(0);
        if (way == 0) of_a = output;
        sums[N::NowhereA + way] += row.nowhere;
        sums[N::LargestA + way] += row.others.maxCoeff();
        sums[N::LengthA + way] += output.norm();
        if (way > 0) sums[N::ChangeB + way - 1] += (output - of_a).norm() / of_a.norm();
      }
    }
    for (std::size_t quantity = 0; quantity < N::Count; ++quantity)
      seeds.add(quantity, sums[quantity] / (sink_tokens - 1));
  }
  return seeds.bands();
}

States sinks_states(double bonus) {
  const SinkDraw draw = sink_draw(1);
  States states{given_document({&draw.q, 1}, {&draw.k, 1}, {&draw.v, 1}), {}};
  states.a.layer().masking.causal = true;
  states.b = states.a;
  Tensor added({1, 1, sink_tokens, sink_tokens}), hidden({1, 1, sink_tokens, sink_tokens});
  for (Eigen::Index i = 0; i < sink_tokens; ++i) {
    added.matrix()(i, 0) = static_cast<float>(bonus);
    hidden.matrix()(i, 0) = i == 0 ? 0 : -INFINITY;
  }
  states.a.layer().masking.additive = std::make_shared<const Tensor>(std::move(added));
  states.b->layer().masking.additive = std::make_shared<const Tensor>(std::move(hidden));
  return states;
}

}  // namespace

Experiment sinks_experiment() {
  return {.name = "sinks",
          .values = {0, 1, 2, 3, 4, 5, 6, 7, 8},
          .rest = 5,
          .seeds = sink_seeds,
          .quantities = {"nowhere", "nowhere_hidden", "nowhere_zero_key", "nowhere_learned", "largest_other",
                         "largest_other_hidden", "largest_other_zero_key", "largest_other_learned", "length",
                         "length_hidden", "length_zero_key", "length_learned", "change_hidden",
                         "change_zero_key", "change_learned"},
          .measure = measure_sinks,
          .states = sinks_states};
}

}  // namespace attnscope::experiments
