// core/experiments: a correct causal mask, masks with finite numbers instead of −∞, and masks with common
// mistakes; in float32 and float16, computed by the engine.
#include <array>
#include <cmath>
#include <limits>

#include "core/engine/pipeline.hpp"
#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"

namespace attnscope::experiments {
namespace {

constexpr Eigen::Index hide_tokens = 16, hide_width = 16;
constexpr std::size_t hide_seeds = 8;

struct HideWay {
  Masking::Hidden hidden = Masking::Hidden::MinusInfinity;
  MaskMistake mistake = MaskMistake::None;
  bool causal = true;
};
constexpr std::array<HideWay, 8> hide_ways{{{},
                                            {.hidden = Masking::Hidden::MinusBillion},
                                            {.hidden = Masking::Hidden::AddedMinusBillion},
                                            {.hidden = Masking::Hidden::LeastFinite},
                                            {.mistake = MaskMistake::AfterSoftmax},
                                            {.mistake = MaskMistake::DiagonalToo},
                                            {.mistake = MaskMistake::Transposed},
                                            {.causal = false}}};

/// `last` is the seed of the last token's vectors. `empty`: every key is hidden from the last query.
Document hide_document(std::uint64_t seed, std::size_t way, Precision precision, std::uint64_t last,
                       bool empty) {
  Matrix q = normals(seed, "queries", hide_tokens, hide_width),
         k = normals(seed, "keys", hide_tokens, hide_width),
         v = normals(seed, "values", hide_tokens, hide_width);
  const Eigen::Index end = hide_tokens - 1;
  q.row(end) = normals(last, "last query", 1, hide_width);
  k.row(end) = normals(last, "last key", 1, hide_width);
  v.row(end) = normals(last, "last value", 1, hide_width);
  Document document = given_document({&q, 1}, {&k, 1}, {&v, 1});
  document.precision = precision;
  Masking& masking = document.layer().masking;
  masking.causal = hide_ways.at(way).causal;
  masking.hidden = hide_ways.at(way).hidden;
  masking.mistake = hide_ways.at(way).mistake;
  if (empty) {
    Tensor all({1, 1, hide_tokens, hide_tokens});
    all.matrix().row(end).setConstant(-INFINITY);
    masking.additive = std::make_shared<const Tensor>(std::move(all));
  }
  return document;
}

struct HideRun {
  Matrix weights, output;
};
HideRun hide_run(const Document& document, const std::stop_token& stop) {
  Pipeline pipeline(make_cpu_backend(1));
  const ResultPtr result = pipeline.run(document, stop);
  const Trace& trace = result->layer().trace;
  return {trace[Stage::Softmax]->matrix(0, 0).cast<double>(), trace[Stage::Mix]->matrix(0, 0).cast<double>()};
}

float rounded_to(float number, Precision precision) {
  return precision == Precision::Float16 ? static_cast<float>(Eigen::half(number)) : number;
}

/// The stored value of a hidden score.
float hidden_score(float score, Masking::Hidden hidden, Precision precision) {
  constexpr float billion = -1e9f, least_half = -65504;
  switch (hidden) {
    case Masking::Hidden::MinusBillion: return rounded_to(billion, precision);
    case Masking::Hidden::AddedMinusBillion:
      return rounded_to(score + rounded_to(billion, precision), precision);
    case Masking::Hidden::LeastFinite:
      return precision == Precision::Float16 ? least_half : std::numeric_limits<float>::lowest();
    case Masking::Hidden::MinusInfinity: break;
  }
  return -INFINITY;
}

/// The weight of the last query on its keys when all are hidden and empty rows get no special treatment:
/// torch.softmax over stored scores, computed in float32. NaN for a row of −∞ only.
double torch_empty(std::uint64_t seed, std::size_t way, Precision precision) {
  if (hide_ways.at(way).mistake == MaskMistake::AfterSoftmax) return 0;  // all weights are set to 0
  const Matrix q = normals(seed, "last query", 1, hide_width);
  Matrix k = normals(seed, "keys", hide_tokens, hide_width);
  k.row(hide_tokens - 1) = normals(seed, "last key", 1, hide_width);
  Eigen::VectorXf scores = (k * q.transpose() / std::sqrt(double{hide_width})).cast<float>();
  for (float& score : scores)
    score = hidden_score(rounded_to(score, precision), hide_ways.at(way).hidden, precision);
  const float most = scores.maxCoeff<Eigen::PropagateNaN>();
  const Eigen::ArrayXf powers = (scores.array() - most).exp();
  return static_cast<double>((powers / powers.sum()).sum());
}

/// Measures one way of masking against the intended causal mask.
void measure_way(Seeds& seeds, std::uint64_t seed, std::size_t way, Precision precision, std::size_t b,
                 const std::stop_token& stop) {
  using N = MaskNumbers;
  const HideRun run = hide_run(hide_document(seed, way, precision, seed, false), stop);
  const HideRun other = hide_run(hide_document(seed, way, precision, seed + 1000, false), stop);
  double leak = 0, off = 0;
  for (Eigen::Index i = 0; i + 1 < hide_tokens; ++i) {
    leak += run.weights.row(i).tail(hide_tokens - 1 - i).sum() / (hide_tokens - 1);
    off = std::max(off, std::abs(1 - run.weights.row(i).sum()));
  }
  off = std::max(off, std::abs(1 - run.weights.row(hide_tokens - 1).sum()));
  seeds.add(N::LeakA + b, leak);
  seeds.add(N::SumA + b, off);
  seeds.add(N::ReachA + b, (run.output - other.output).topRows(hide_tokens - 1).cwiseAbs().maxCoeff());
  const HideRun empty = hide_run(hide_document(seed, way, precision, seed, true), stop);
  seeds.add(N::EmptyA + b, empty.weights.row(hide_tokens - 1).sum());
  seeds.add(N::TorchA + b, torch_empty(seed, way, precision));
}

Measured measure_masks(double way, const std::stop_token& stop) {
  Seeds seeds(MaskNumbers::Count);
  for (std::uint64_t seed = 1; seed <= hide_seeds; ++seed) {
    stop_when_asked(stop);
    measure_way(seeds, seed, static_cast<std::size_t>(way), Precision::Float32, 0, stop);
    measure_way(seeds, seed, static_cast<std::size_t>(way), Precision::Float16, 1, stop);
  }
  return seeds.bands();
}

/// The correct mask, and this one.
States masks_states(double way) {
  return {hide_document(1, 0, Precision::Float32, 1, false),
          hide_document(1, static_cast<std::size_t>(way), Precision::Float32, 1, false)};
}

}  // namespace

Experiment masks_experiment() {
  return {.name = "masks",
          .values = {0, 1, 2, 3, 4, 5, 6, 7},
          .rest = 4,
          .seeds = hide_seeds,
          .quantities = {"leak_float32", "leak_float16", "sum_off_float32", "sum_off_float16",
                         "reach_float32", "reach_float16", "empty_float32", "empty_float16",
                         "empty_torch_float32", "empty_torch_float16"},
          .measure = measure_masks,
          .states = masks_states};
}

}  // namespace attnscope::experiments
