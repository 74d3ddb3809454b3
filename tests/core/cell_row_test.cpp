// One query's row of a long result against the planes of the same Document when it keeps them, and against
// the oracle in float64.
#include "core/engine/cell_row.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/against_oracle.hpp"
#include "core/attention/run_stage.hpp"
#include "core/edits/edits.hpp"
#include "core/engine/pipeline.hpp"
#include "core/engine/streamed_document.hpp"
#include "core/engine/survey.hpp"
#include "core/engine/tiles.hpp"
#include "core/random_documents.hpp"
#include "core/samples.hpp"
#include "core/text/tokenize.hpp"
#include "support/seeds.hpp"

namespace attnscope::cell_row_test {
namespace {

bool near(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  // An infinity matches only the same infinity.
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= 2e-5 * (1 + std::abs(b));
}

Document text_of(const std::vector<std::string>& texts) {
  Document document = edit::texts(Document{}, texts);
  document.layer().d_model = 32;
  document.layer().heads = 4;
  return edit::recipe(document, Recipe::Random);
}

/// The same layer in the form of long ones: with surveys, without any plane of scores.
LayerResult streamed(const LayerResult& staged, Backend& backend) {
  LayerResult result = staged;
  for (std::int64_t b = 0; b < result.dimensions.batch; ++b) {
    StreamedDocument problem = make_problem(result.document, staged.trace, b);
    INFO(problem.why_not);
    REQUIRE(problem);
    result.surveys.push_back(first_look(std::move(problem), backend, {}, nullptr));
  }
  for (const Stage stage : {Stage::Score, Stage::Scale, Stage::Cap, Stage::Bias, Stage::Mask, Stage::Softmax,
                            Stage::Linear, Stage::Intervention, Stage::Drop})
    result.trace[stage].reset();
  result.measures = {};
  return result;
}

/// The row's stages against the oracle's. Sums of products: relative to the largest of the row.
void compare(const CellRow& row, const against_oracle::Expected& exact, std::size_t first) {
  const oracle::Answer& answer = exact.answer;
  const std::size_t keys = row.weights.size();
  const auto same = [&](const char* name, std::span<const float> numbers, const oracle::Numbers& wanted) {
    INFO(name);
    REQUIRE(numbers.size() == keys);
    double largest = 1;
    for (std::size_t j = 0; j < keys; ++j)
      if (std::isfinite(wanted[first + j])) largest = std::max(largest, std::abs(wanted[first + j]));
    for (std::size_t j = 0; j < keys; ++j) {
      const double is = static_cast<double>(numbers[j]), should = wanted[first + j];
      const bool equal = std::isfinite(should) ? std::abs(is - should) <= 1e-5 * largest : is == should;
      if (!equal) FAIL_CHECK("key " << j << ": " << is << " is not " << should);
    }
  };
  same("score", row.score, answer.score);
  same("scaled", row.scaled, answer.scaled);
  same("capped", row.capped, answer.capped);
  same("masked", row.masked, answer.masked);
  same("weights", row.weights, answer.weights);
  for (std::size_t j = 0; j < keys; ++j)
    if (answer.seen[first + j] == std::isinf(row.masked[j])) FAIL_CHECK("key " << j << " is not as masked");
}

/// The row's stages and measures against the planes and their measures.
void compare(const CellRow& row, const LayerResult& staged, const RowPlace& place) {
  const auto [b, h, query] = place;
  const Dimensions& d = staged.dimensions;
  const auto same = [&, b = b, h = h, query = query](Stage stage, std::span<const float> numbers) {
    INFO(info(stage).name);
    const TensorPtr& plane = staged.trace[stage];
    if (!plane) {
      CHECK(numbers.empty());
      return;
    }
    REQUIRE(std::ssize(numbers) == d.keys);
    const std::int64_t entry = plane->shape()[0] > 1 ? b : 0;
    for (std::int64_t j = 0; j < d.keys; ++j) {
      const auto at = static_cast<double>(numbers[static_cast<std::size_t>(j)]);
      if (!near(at, static_cast<double>(plane->matrix(entry, h)(query, j))))
        FAIL_CHECK("key " << j << ": " << at << " is not " << plane->matrix(entry, h)(query, j));
    }
  };
  same(Stage::Score, row.score);
  same(Stage::Scale, row.scaled);
  same(Stage::Cap, row.capped);
  same(Stage::Bias, row.bias);
  same(Stage::Mask, row.masked);
  same(Stage::Softmax, row.weights);
  const RowMeasures &made = row.measures, &wanted = staged.measures.row(b, h, query);
  CHECK(made.allowed == wanted.allowed);
  CHECK(made.padding == wanted.padding);
  for (double RowMeasures::*const member :
       {&RowMeasures::entropy, &RowMeasures::normalised, &RowMeasures::effective, &RowMeasures::log_sum_exp,
        &RowMeasures::largest, &RowMeasures::self, &RowMeasures::previous, &RowMeasures::next,
        &RowMeasures::first, &RowMeasures::special, &RowMeasures::extra, &RowMeasures::distance,
        &RowMeasures::dropped, &RowMeasures::jacobian})
    CHECK(near(made.*member, wanted.*member));
  REQUIRE(std::ssize(row.by_weight) == d.keys);
  for (std::size_t i = 1; i < row.by_weight.size(); ++i)
    if (weight_rank(row, row.by_weight[i - 1]) < weight_rank(row, row.by_weight[i]))
      FAIL_CHECK("key " << row.by_weight[i] << " stands behind one with less weight");
}

void compare(const Document& document) {
  const std::shared_ptr<Backend> backend = make_cpu_backend(1);
  Pipeline pipeline(backend);
  const ResultPtr whole = pipeline.run(document, {}, nullptr, 1);
  REQUIRE(whole->error.empty());
  const LayerResult& staged = whole->layer();
  REQUIRE_FALSE(staged.is_long());
  const LayerResult result = streamed(staged, *backend);
  const Dimensions& d = staged.dimensions;
  const against_oracle::Expected exact = against_oracle::expected(staged.document, staged.trace);
  ThreadPool pool(1);
  for (std::int64_t b = 0; b < d.batch; ++b) {
    for (std::int64_t place = 0; place < 3 * d.heads; ++place) {
      const std::int64_t h = place / 3, query = place % 3 * (d.queries - 1) / 2;
      INFO("entry " << b << ", head " << h << ", query " << query);
      const CellRow row = computed_row(result, b, h, query, Work{pool, {}});
      REQUIRE(row.is_computed);
      compare(row, staged, {b, h, query});
      compare(row, exact, static_cast<std::size_t>(((b * d.heads + h) * d.queries + query) * d.keys));
    }
  }
}

constexpr const char* sentence = "[CLS] the cat sat on the mat because the cat was tired [SEP]";

}  // namespace

TEST_CASE("A computed row has the numbers of the planes, whatever the layer's settings") {
  using Change = std::function<void(LayerSpec&)>;
  const std::vector<std::pair<std::string, Change>> changes{
      {"as it is", [](LayerSpec&) {}},
      {"causal", [](LayerSpec& l) { l.masking.causal = true; }},
      {"a window",
       [](LayerSpec& l) {
         l.masking.window = {3, 3};
       }},
      {"a causal window",
       [](LayerSpec& l) {
         l.masking.causal = true;
         l.masking.window = {2, -1};
       }},
      {"soft-cap", [](LayerSpec& l) { l.soft_cap = 0.5f; }},
      {"temperature", [](LayerSpec& l) { l.temperature = 0.25f; }},
      {"no scale", [](LayerSpec& l) { l.scaling.kind = Scaling::Kind::Off; }},
      {"ALiBi", [](LayerSpec& l) { l.positions = Positions::Alibi; }},
      {"ALiBi with a soft-cap and a temperature",
       [](LayerSpec& l) {
         l.positions = Positions::Alibi;
         l.soft_cap = 2;
         l.temperature = 3;
         l.masking.causal = true;
       }},
      {"rotary", [](LayerSpec& l) { l.positions = Positions::RopeHalf; }},
      {"rotary, interleaved", [](LayerSpec& l) { l.positions = Positions::RopeInterleaved; }},
      {"rotary, scaled",
       [](LayerSpec& l) {
         l.positions = Positions::RopeHalf;
         l.position_settings.rope_scaling = RopeScaling::Yarn;
         l.position_settings.rope_trained = 40;
       }},
      {"normed queries and keys", [](LayerSpec& l) { l.qk_norm.kind = QkNorm::Kind::RootMeanSquare; }},
      {"sinks",
       [](LayerSpec& l) {
         l.weights[Parameter::SinkLogits] = std::make_shared<const Tensor>(Shape{l.heads});
         l.temperature = 0.5f;
       }},
      {"no positions", [](LayerSpec& l) { l.positions = Positions::None; }},
      {"a factor",
       [](LayerSpec& l) {
         l.scaling.kind = Scaling::Kind::Factor;
         l.scaling.factor = -0.75f;
       }},
      {"a causal window of one head",
       [](LayerSpec& l) {
         l.masking.causal = true;
         l.masking.window = {2, -1};
         l.masking.heads = {2};
       }},
      {"ALiBi in one direction of a window",
       [](LayerSpec& l) {
         l.positions = Positions::Alibi;
         l.masking.window = {-1, 1};
       }},
      {"every third key", [](LayerSpec& l) { l.masking.sparsity.kind = Sparsity::Kind::Strided; }},
      {"blocks", [](LayerSpec& l) { l.masking.sparsity.kind = Sparsity::Kind::BlocksGlobal; }},
      {"a zero key", [](LayerSpec& l) { l.add_zero_attn = true; }},
  };
  for (const auto& [name, change] : changes) {
    INFO(name);
    Document document = text_of({sentence});
    change(document.layer());
    compare(document);
  }
}

TEST_CASE("A computed row knows biases of buckets, grouped heads and a learned key") {
  Document buckets = text_of({sentence});
  buckets.layer().positions = Positions::RelativeBuckets;
  samples::Random random(5);
  buckets.layer().weights[Parameter::RelativeBias] =
      random.tensor({buckets.layer().position_settings.buckets, buckets.layer().heads});
  compare(buckets);
  compare(edit::kv_heads(text_of({sentence}), 2));
  compare(edit::bias_k(text_of({sentence}), true));
}

TEST_CASE("A computed row knows what is painted: hidden cells, added numbers, a row without any key") {
  const Document plain = text_of({sentence});
  const std::int64_t tokens = sequence_length(plain, 0);
  Document one_head = plain;
  for (std::int64_t key = 1; key < tokens; key += 3)
    one_head = edit::hidden_cell(one_head, 0, 1, tokens - 1, key, true);
  compare(one_head);
  Document added = plain;
  added.layer().masking.causal = true;
  std::vector<float> numbers(static_cast<std::size_t>(tokens * tokens));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 5) - 2;
  added.layer().masking.additive = std::make_shared<const Tensor>(Shape{1, 1, tokens, tokens}, numbers);
  compare(added);
  std::fill_n(numbers.begin(), tokens, -std::numeric_limits<float>::infinity());
  Document empty = plain;
  empty.layer().masking.additive = std::make_shared<const Tensor>(Shape{1, 1, tokens, tokens}, numbers);
  compare(empty);
}

TEST_CASE("A computed row knows padding, caches and a second text") {
  Document padded = text_of({sentence, "a short one"});
  padded.layer().masking.padding = true;
  compare(padded);
  Document cached = text_of({sentence});
  cached.layer().masking.causal = true;
  compare(edit::cached(cached, 4));
  compare(edit::memory(text_of({sentence}), "le chat était fatigué"));
}

TEST_CASE("A computed row has the numbers of the planes of any Document that is streamed") {
  ThreadPool pool(1);
  const Work work{pool, {}};
  int compared = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of rows");
    samples::Random random(seeds::of_case("rows", i));
    const Document document = samples::any_document(random);
    const Trace trace = run_stages(work, document, sources_of<float>(document));
    bool is_streamed = true;
    for (std::int64_t b = 0; b < trace[Stage::Query]->shape()[0]; ++b)
      is_streamed = is_streamed && make_problem(document, trace, b);
    if (!is_streamed) continue;
    ++compared;
    compare(document);
  }
  CHECK(compared > 40);
}

}  // namespace attnscope::cell_row_test
