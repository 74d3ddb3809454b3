// Every stage and every measure against the float64 oracle, over thousands of random Documents and all
// settings, in float and in double.
#include <stop_token>

#include <catch2/catch_test_macros.hpp>

#include "core/against_oracle.hpp"
#include "core/analysis/reference.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/compare.hpp"
#include "core/engine/result.hpp"
#include "core/random_documents.hpp"
#include "support/seeds.hpp"

namespace attnscope::stages_test {
namespace {

using compare::difference;

// A stage in float rounds each of up to some dozen terms: 1e-5 of the largest value is far above that and far
// below what any mistake in a formula would leave. Double leaves 2e-16 of each.
constexpr double float_precision = 1e-5;
constexpr double double_precision = 1e-13;

/// Empty when all stages in float and in double and all measures are the oracle's.
std::string disagreement(const Work& work, const Document& document) {
  const Trace trace = run_stages(work, document, sources_of<float>(document));
  const TraceOf<double> exact = run_stages(work, document, sources_of<double>(document));
  const auto wanted = against_oracle::expected(document, exact);
  std::string found = against_oracle::difference(document, exact, wanted, double_precision);
  if (!found.empty()) return "in double, " + found;
  // A vector on the edge between two buckets may fall on either side, and -1e9 absorbs the score that it is
  // added to.
  const bool differs = static_cast<bool>(trace[Stage::Bucket]) ||
                       document.layer().masking.hidden == Masking::Hidden::AddedMinusBillion;
  const auto in_float = differs ? against_oracle::expected(document, trace) : wanted;
  found = against_oracle::difference(document, trace, in_float, float_precision);
  if (!found.empty()) return "in float, " + found;
  return against_oracle::measures_difference(document, trace, measure(work, document, trace), in_float);
}

/// Runs `count` cases; each takes its seed from that of the run.
template <class MakeDocument>
void run_cases(std::string_view suite, std::uint64_t count, MakeDocument&& make) {
  ThreadPool caller_only(1);
  const Work work{caller_only, {}};
  for (std::uint64_t i = 0; i < count; ++i) {
    samples::Random random(seeds::of_case(suite, i));
    const std::string found = disagreement(work, make(random));
    INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of " << suite);
    REQUIRE(found == "");
  }
}

}  // namespace

TEST_CASE("Stages from text agree with the oracle") { run_cases("text", 5000, samples::any_text_document); }

TEST_CASE("Stages from vectors agree with the oracle") {
  run_cases("vectors", 2500, samples::any_vectors_document);
}

TEST_CASE("Stages from given Q, K and V agree with the oracle") {
  run_cases("given", 3500, samples::any_given_document);
}

TEST_CASE("Long sequences agree with the oracle, by the blocks that threads share") {
  ThreadPool pool(2);
  for (std::uint64_t i = 0; i < 6; ++i) {
    INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of long");
    samples::Random random(seeds::of_case("long", i));
    Document document = samples::given_document(random.tensor({2, 4, random.between(65, 90), 9}),
                                                random.tensor({2, 2, random.between(65, 90), 9}), nullptr);
    document.input.change<Given>().value = random.tensor({2, 2, document.input.given().key->shape()[2], 5});
    samples::randomise_positions(random, document);
    samples::randomise_settings(random, document);
    CHECK(disagreement(Work{pool, {}}, document) == "");
  }
}

TEST_CASE("The reference cell is the float cell, more exactly") {
  ThreadPool caller_only(1);
  const Work work{caller_only, {}};
  std::stop_source stopped;
  stopped.request_stop();
  for (std::uint64_t i = 0; i < 300; ++i) {
    INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of reference");
    samples::Random random(seeds::of_case("reference", i));
    Document document = samples::any_document(random);
    document.layer().softmax = SoftmaxKind::Stable;  // the reference leaves these out
    document.layer().linear = false;
    if (document.layer().masking.hidden ==
        Masking::Hidden::AddedMinusBillion)  // float loses the score beside it
      document.layer().masking.hidden = Masking::Hidden::MinusBillion;
    const Dimensions size = check(document);
    const Trace trace = run_stages(work, document, sources_of<float>(document));
    const Measures measures = measure(work, document, trace);
    for (int trial = 0; trial < 3; ++trial) {
      const std::int64_t b = random.between(0, size.batch - 1), h = random.between(0, size.heads - 1);
      const std::int64_t q = random.between(0, size.queries - 1), k = random.between(0, size.keys - 1);
      const CellReference cell = reference_cell(document, trace, b, h, q, k);
      const auto far = [&](double value, Stage stage) {
        const Tensor& tensor = *trace[stage];
        const float found = tensor.matrix(tensor.shape()[0] == 1 ? 0 : b, h)(q, k);
        return difference(std::span<const double>(&value, 1), {static_cast<double>(found)}, 2e-4);
      };
      CHECK(far(cell.score, Stage::Score) == "");
      CHECK(far(cell.scaled, Stage::Scale) == "");
      CHECK(far(cell.capped, Stage::Cap) == "");
      CHECK(far(cell.masked, Stage::Mask) == "");
      CHECK(far(cell.weight, Stage::Softmax) == "");
      if (trace[Stage::Bias]) CHECK(far(cell.bias, Stage::Bias) == "");
      const double log_sum =
          cell.row_max / static_cast<double>(document.layer().temperature) + std::log(cell.row_sum);
      CHECK(difference(std::span<const double>(&log_sum, 1), {measures.row(b, h, q).log_sum_exp}, 2e-4) ==
            "");
    }
    CHECK_THROWS_AS(reference_cell(document, trace, 0, 0, 0, 0, stopped.get_token()), Cancelled);
  }
}

}  // namespace attnscope::stages_test
