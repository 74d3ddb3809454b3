// Numbers that are computed once for a run: entropies of its heads and norms of its stream, against naive
// float64.
#include "core/engine/model/run_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/engine/model/model_engine.hpp"
#include "core/models/run_heads.hpp"
#include "core/opened_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::run_numbers_test {
namespace {

/// The mean of H / ln(keys) over the rows of a causal head that see two keys or more.
double naive_entropy(const Tensor& weights) {
  double sum = 0;
  const std::int64_t rows = weights.matrix().rows();
  for (std::int64_t i = 1; i < rows; ++i) {
    double entropy = 0;
    for (std::int64_t j = 0; j <= i; ++j) {
      const auto p = static_cast<double>(weights.matrix()(i, j));
      if (p > 0) entropy -= p * std::log(p);
    }
    sum += entropy / std::log(static_cast<double>(i + 1));
  }
  return sum / static_cast<double>(rows - 1);
}

}  // namespace

TEST_CASE("what is counted of a run is that of naive float64, by any number of threads", "[models]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr opened = opened_models::small_gpt(directory / "gpt");
  const Model& model = *opened->model;
  ThreadPool alone(1), shared(3);
  ModelInput input;
  for (int i = 0; i < 9; ++i) input.ids.push_back(i * 5 % model.spec.vocabulary);
  const ModelRun run = run_model(model, input, {.entropy = true}, Work{alone, {}});
  const RunNumbers numbers = run_numbers(model, run, Work{alone, {}});

  REQUIRE(numbers.stream_norms.shape() == Shape{9, std::ssize(run.decoder.hidden)});
  for (std::int64_t row = 0; row < 9; ++row)
    for (std::size_t place = 0; place < run.decoder.hidden.size(); ++place) {
      const KeptRows& stream = run.decoder.hidden[place];
      double sum = 0;
      for (std::int64_t i = 0; i < stream.width; ++i)
        sum += static_cast<double>(stream.row(row)[i]) * static_cast<double>(stream.row(row)[i]);
      const float told = numbers.stream_norms.matrix()(row, static_cast<std::int64_t>(place));
      CHECK(static_cast<double>(told) == Catch::Approx(std::sqrt(sum)).epsilon(1e-6));  // rounded once
    }

  REQUIRE(numbers.attentions.size() == 1);
  REQUIRE(numbers.attentions[0].entropy.size() == model.spec.decoder->blocks.size());
  std::vector<double> all;
  for (int block = 0; block < std::ssize(numbers.attentions[0].entropy); ++block)
    for (std::int64_t head = 0; head < model.spec.decoder->blocks[static_cast<std::size_t>(block)].heads;
         ++head) {
      const Tensor weights = head_weights(model, run, AttentionOf::Decoder, static_cast<std::size_t>(block),
                                          head, Work{alone, {}});
      const double told = numbers.entropy_of(AttentionOf::Decoder, block, head);
      CHECK(told == Catch::Approx(naive_entropy(weights)).margin(2e-5));  // of weights in float
      all.push_back(told);
    }
  std::sort(all.begin(), all.end());
  CHECK(numbers.median_entropy == all[all.size() / 2]);
  CHECK(std::isnan(numbers.entropy_of(AttentionOf::Cross, 0, 0)));
  CHECK(std::isnan(numbers.entropy_of(AttentionOf::Decoder, 99, 0)));

  const RunNumbers by_three = run_numbers(model, run, Work{shared, {}});
  CHECK(by_three.stream_norms == numbers.stream_norms);
  CHECK(by_three.attentions[0].entropy == numbers.attentions[0].entropy);
  CHECK(by_three.median_entropy == numbers.median_entropy);
}

TEST_CASE("of a run without entropies the lengths of the stream are counted alone", "[models]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr opened = opened_models::small_gpt(directory / "gpt");
  ThreadPool pool(1);
  ModelInput input;
  input.ids = {1, 2, 3};
  const ModelRun run = run_model(*opened->model, input, {}, Work{pool, {}});
  const RunNumbers numbers = run_numbers(*opened->model, run, Work{pool, {}});
  CHECK(std::isnan(numbers.median_entropy));
  CHECK(std::isnan(numbers.entropy_of(AttentionOf::Decoder, 0, 0)));
  CHECK(numbers.stream_norms.shape()[0] == 3);
}

TEST_CASE("what was counted of a run is not counted again for another block or row", "[models]") {
  const test::TemporaryDirectory directory;
  ModelEngine engine({}, 2);
  ModelContext within = opened_models::within_of(opened_models::small_gpt(directory / "gpt"), "abcab");
  engine.submit(within);
  engine.wait_idle();
  const ModelReadingPtr first = engine.latest();
  REQUIRE(first->numbers);
  within.block = 1;
  engine.submit(within, {.row = 1});
  engine.wait_idle();
  CHECK(engine.latest()->numbers == first->numbers);
  within.changes.heads = {{.of = within.of, .block = 0, .head = 1}};
  engine.submit(within);
  engine.wait_idle();
  CHECK(engine.latest()->numbers != first->numbers);
  CHECK(engine.latest()->clean_numbers == first->numbers);
}

}  // namespace attnscope::run_numbers_test
