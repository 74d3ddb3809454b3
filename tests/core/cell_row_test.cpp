// One query's row of a long result against the planes of the same Document when it keeps them.
#include "core/engine/cell_row.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/edits/edits.hpp"
#include "core/engine/pipeline.hpp"
#include "core/engine/survey.hpp"
#include "core/samples.hpp"
#include "core/streaming/from_document.hpp"
#include "core/text/tokenize.hpp"

namespace attnscope::cell_row_test {
namespace {

bool near(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= 2e-5 * (1 + std::abs(b));
}

Document text_of(const std::vector<std::string>& texts) {
  Document document = edit::texts(Document{}, texts);
  document.layer().d_model = 32;
  document.layer().heads = 4;
  return edit::recipe(document, Recipe::Random);
}

/// The same layer as long ones have it: with surveys, without any plane of scores.
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

void compare(const Document& document) {
  const std::shared_ptr<Backend> backend = make_cpu_backend(1);
  Pipeline pipeline(backend);
  const ResultPtr whole = pipeline.run(document, {}, nullptr, 1);
  REQUIRE(whole->error.empty());
  const LayerResult& staged = whole->layer();
  REQUIRE_FALSE(staged.is_long());
  const LayerResult result = streamed(staged, *backend);
  const Dimensions& d = staged.dimensions;
  ThreadPool pool(1);
  for (std::int64_t b = 0; b < d.batch; ++b) {
    for (const std::int64_t query : {std::int64_t{0}, d.queries / 2, d.queries - 1}) {
      const std::int64_t h = query % d.heads;
      INFO("entry " << b << ", head " << h << ", query " << query);
      const CellRow row = computed_row(result, b, h, query, Work{pool, {}});
      REQUIRE(row.is_computed);
      const auto same = [&](Stage stage, std::span<const float> numbers) {
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
           {&RowMeasures::entropy, &RowMeasures::normalised, &RowMeasures::effective,
            &RowMeasures::log_sum_exp, &RowMeasures::largest, &RowMeasures::self, &RowMeasures::previous,
            &RowMeasures::next, &RowMeasures::first, &RowMeasures::special, &RowMeasures::extra,
            &RowMeasures::distance, &RowMeasures::dropped, &RowMeasures::jacobian})
        CHECK(near(made.*member, wanted.*member));
      REQUIRE(std::ssize(row.by_weight) == d.keys);
      for (std::size_t i = 1; i < row.by_weight.size(); ++i)
        if (weight_rank(row, row.by_weight[i - 1]) < weight_rank(row, row.by_weight[i]))
          FAIL_CHECK("key " << row.by_weight[i] << " stands behind one with less weight");
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
      {"a zero key", [](LayerSpec& l) { l.add_zero_attn = true; }},
  };
  for (const auto& [name, change] : changes) {
    INFO(name);
    Document document = text_of({sentence});
    change(document.layer());
    compare(document);
  }
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

}  // namespace attnscope::cell_row_test
