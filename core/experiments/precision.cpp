// core/experiments: the error of storing scores, weights and outputs in fewer bits, relative to float64:
// bfloat16 has 8 significant bits, float16 has 11 and numbers up to 65504.
#include <array>
#include <cmath>

#include "core/engine/pipeline.hpp"
#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"

namespace attnscope::experiments {
namespace {

constexpr Eigen::Index bits_tokens = 64, bits_width = 64;
constexpr std::size_t bits_seeds = 4;
constexpr std::array bits_precisions{Precision::Float32, Precision::BFloat16, Precision::Float16};

/// Standard normal numbers; queries are multiplied by `spread`, the intended standard deviation of the
/// scores.
Document bits_document(std::uint64_t seed, double spread) {
  const Matrix q = spread * normals(seed, "queries", bits_tokens, bits_width),
               k = normals(seed, "keys", bits_tokens, bits_width),
               v = normals(seed, "values", bits_tokens, bits_width);
  return given_document({&q, 1}, {&k, 1}, {&v, 1});
}

struct BitsRun {
  Matrix scaled, weights, output;
};
/// The run in float64, from the numbers of the Document.
BitsRun exact_run(const Document& document) {
  const Given& given = document.input.given();
  const auto of = [](const TensorPtr& tensor) { return Matrix(tensor->matrix(0, 0).cast<double>()); };
  BitsRun run;
  run.scaled = of(given.query) * of(given.key).transpose() / std::sqrt(double{bits_width});
  run.weights = softmax_rows(run.scaled);
  run.output = run.weights * of(given.value);
  return run;
}

BitsRun stored_run(Document document, Precision precision, const std::stop_token& stop) {
  document.precision = precision;
  Pipeline pipeline(make_cpu_backend(1));
  const ResultPtr result = pipeline.run(document, stop);
  const Trace& trace = result->layer().trace;
  const auto of = [&](Stage stage) { return Matrix(trace[stage]->matrix(0, 0).cast<double>()); };
  return {of(Stage::Scale), of(Stage::Softmax), of(Stage::Mix)};
}

Eigen::Index strongest(const Eigen::Ref<const Eigen::RowVectorXd>& row) {
  Eigen::Index best = 0;
  row.maxCoeff(&best);
  return best;
}

void compare_bits(Seeds& seeds, const BitsRun& stored, const BitsRun& exact, std::size_t precision) {
  using N = PrecisionNumbers;
  double weight = 0, output = 0, wrong = 0;
  for (Eigen::Index i = 0; i < bits_tokens; ++i) {
    if (!stored.weights.row(i).allFinite()) {
      weight += 1;
      output += 1;
      wrong += 1;
      continue;
    }
    weight += (stored.weights.row(i) - exact.weights.row(i)).cwiseAbs().sum() / 2;
    output += (stored.output.row(i) - exact.output.row(i)).norm() / exact.output.row(i).norm();
    wrong += strongest(stored.weights.row(i)) != strongest(exact.weights.row(i)) ? 1 : 0;
  }
  seeds.add(N::ScoreSingle + precision, (stored.scaled - exact.scaled).cwiseAbs().maxCoeff());
  seeds.add(N::WeightSingle + precision, weight / bits_tokens);
  seeds.add(N::OutputSingle + precision, output / bits_tokens);
  seeds.add(N::WrongSingle + precision, wrong / bits_tokens);
}

Measured measure_precision(double spread, const std::stop_token& stop) {
  Seeds seeds(PrecisionNumbers::Count);
  for (std::uint64_t seed = 1; seed <= bits_seeds; ++seed) {
    stop_when_asked(stop);
    const Document document = bits_document(seed, spread);
    const BitsRun exact = exact_run(document);
    for (std::size_t p = 0; p < bits_precisions.size(); ++p)
      compare_bits(seeds, stored_run(document, bits_precisions[p], stop), exact, p);
  }
  Measured out = seeds.bands();
  for (Band& band : out)  // scores beyond 65504 have no finite error to draw
    if (!std::isfinite(band.typical)) band = {};
  return out;
}

States precision_states(double spread) {
  States states{bits_document(1, spread), {}};
  states.b = states.a;
  states.b->precision = Precision::BFloat16;
  return states;
}

/// |error| of the weights in bfloat16 and in float16.
Pictures precision_pictures(double spread, const std::stop_token& stop) {
  const Document document = bits_document(1, spread);
  const BitsRun exact = exact_run(document);
  const auto error = [&](Precision precision) {
    Tensor out({bits_tokens, bits_tokens});
    out.matrix() = (stored_run(document, precision, stop).weights - exact.weights).cwiseAbs().cast<float>();
    return out;
  };
  return {error(Precision::Float16), error(Precision::BFloat16)};
}

}  // namespace

Experiment precision_experiment() {
  return {.name = "precision",
          .values = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096},
          .rest = 3,
          .seeds = bits_seeds,
          .quantities = {"score_error_float32", "score_error_bfloat16", "score_error_float16",
                         "weights_moved_float32", "weights_moved_bfloat16", "weights_moved_float16",
                         "output_error_float32", "output_error_bfloat16", "output_error_float16",
                         "wrong_rows_float32", "wrong_rows_bfloat16", "wrong_rows_float16"},
          .measure = measure_precision,
          .states = precision_states,
          .pictures = precision_pictures};
}

}  // namespace attnscope::experiments
