// Names of heads: the pattern they were built for while their score supports it, else a clear measured one,
// else none.
#include "core/analysis/head_patterns.hpp"

#include <cmath>
#include <span>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/analysis/sum_row.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/heads.hpp"
#include "core/engine/pipeline.hpp"
#include "core/samples.hpp"
#include "core/text/tokenize.hpp"
#include "core/weights/make_weights.hpp"

namespace attnscope::head_patterns_test {
namespace {

Document hand_built(const std::string& text) {
  Document document;
  document.input.sequences = {{text, tokenize(text)}};
  document.layer().masking.causal = true;
  return edit::recipe(document, Recipe::HandBuilt);
}

Document sentence() { return hand_built("The cat sat on the mat because it was warm ."); }

ResultPtr compute(const Document& document) { return Pipeline(make_cpu_backend(1)).run(document); }

const PatternScores& scores_of(const Result& result, std::int64_t head) {
  return result.layer().measures.head(0, head).patterns;
}

/// The built heads whose score supports their name.
std::vector<std::int64_t> bearing(const Document& document) {
  const ResultPtr result = compute(document);
  std::vector<std::int64_t> heads;
  for (std::int64_t h = 0; h < document.layer().heads; ++h) {
    const auto pattern = pattern_of(document.layer().weights.head_names[static_cast<std::size_t>(h)]);
    REQUIRE(pattern);
    if (holds(*pattern, scores_of(*result, h))) heads.push_back(h);
  }
  return heads;
}

using Heads = std::vector<std::int64_t>;
const Heads all{0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace

TEST_CASE("A row with one allowed key counts in no score, and a perfect head has 1", "[patterns]") {
  samples::Random random(1);
  Document document = samples::text_document(random, {6}, 2, 8);
  document.layer().masking.causal = true;
  document = edit::intervention(document, 0, Intervention::Kind::PreviousToken);
  document = edit::intervention(document, 1, Intervention::Kind::Uniform);
  const ResultPtr result = compute(document);
  const auto score = [&](std::int64_t head, HeadPattern pattern) {
    return scores_of(*result, head)[static_cast<std::size_t>(pattern)];
  };
  const PatternScore perfect = score(0, HeadPattern::Previous), even = score(1, HeadPattern::Previous);
  CHECK(perfect.rows == 5);
  CHECK(perfect.score == 1);
  CHECK(perfect.lift() == 1);
  const double uniform = (1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 5 + 1.0 / 6) / 5;
  CHECK(std::abs(perfect.uniform - uniform) < 1e-12);
  CHECK(std::abs(even.score - uniform) < 1e-7);
  CHECK(std::abs(even.lift()) < 1e-6);
  // The measures beside it: the same rows, the same baseline.
  const HeadMeasures& head = result->layer().measures.head(0, 1);
  CHECK(std::abs(head.previous - uniform) < 1e-7);
  CHECK(std::abs(head.uniform.previous - uniform) < 1e-12);
  CHECK(std::abs(head.uniform.self - uniform) < 1e-12);
  CHECK(result->layer().measures.head(0, 0).previous ==
        1);  // it would be 5/6 with the first row, which has one key
  CHECK(std::abs(head.uniform.effective - 4) < 1e-12);
  CHECK(score(0, HeadPattern::Next).rows == 0);  // a causal mask hides it
  CHECK(std::isnan(score(0, HeadPattern::Next).score));
}

TEST_CASE("What a window drops is the mean over real rows", "[patterns]") {
  samples::Random random(7);
  Document document = samples::text_document(random, {8, 5}, 2, 8);
  document.layer().masking.padding = true;
  document.layer().masking.window = Window{1, 0};
  const ResultPtr result = compute(document);
  const Measures& measures = result->layer().measures;
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t h = 0; h < 2; ++h) {
      double sum = 0;
      const std::int64_t rows = b == 0 ? 8 : 5;
      for (std::int64_t i = 0; i < rows; ++i) sum += measures.row(b, h, i).dropped;
      CHECK(sum > 0.1);
      CHECK(std::abs(measures.head(b, h).dropped - sum / static_cast<double>(rows)) < 1e-12);
    }
  }
}

TEST_CASE("Patterns of places are the same from the sums of rows", "[patterns]") {
  samples::Random random(11);
  Document document = samples::text_document(random, {7}, 3, 12);
  document.layer().masking.causal = true;
  ThreadPool pool(1);
  const Work work{pool, {}};
  const ResultPtr result = compute(document);
  const LayerResult& of = result->layer();
  const MaskFactsPtr facts = mask_facts(work, document, of.trace);
  const TokenClasses& tokens = facts->tokens[0];
  std::vector<SumsOfRow> sums;
  std::vector<float> t(7), e(7);
  for (std::int64_t h = 0; h < 3; ++h) {
    for (std::int64_t i = 0; i < 7; ++i) {
      const auto row = [&](Stage stage) { return std::span(of.trace[stage]->matrix(0, h).row(i).data(), 7); };
      const RowNumbers numbers{row(Stage::Mask), row(Stage::Softmax), {}, {}};
      sums.push_back(sum_row(numbers, 1, {i, i, 7, false}, tokens, {t, e}));
    }
  }
  const std::vector<double> received(3 * 7);
  REQUIRE(sums_suffice(document));
  const Measures from_sums = measure(work, document, facts, SummedRows{sums, received});
  for (std::int64_t h = 0; h < 3; ++h) {
    for (const HeadPattern pattern :
         {HeadPattern::First, HeadPattern::Previous, HeadPattern::SkipAndFirst, HeadPattern::Local}) {
      const auto at = static_cast<std::size_t>(pattern);
      const PatternScore &found = from_sums.head(0, h).patterns[at], &wanted = scores_of(*result, h)[at];
      CHECK(found.rows == wanted.rows);
      CHECK(std::abs(found.score - wanted.score) < 1e-6);
    }
  }
}

TEST_CASE("Built heads bear their names on a sentence, and with less than full noise", "[patterns]") {
  CHECK(bearing(sentence()) == all);
  Document open = sentence();
  open.layer().masking.causal = false;
  CHECK(bearing(open) == all);
  CHECK(bearing(edit::noise(sentence(), 0.3f)) == all);
}

TEST_CASE("Without positions the heads of places bear no name", "[patterns]") {
  Document document = sentence();
  document.layer().positions = Positions::None;
  CHECK(bearing(document) == Heads{2, 3, 4, 6});  // those of words and the even one
  document.layer().positions = Positions::RopeHalf;
  for (const std::int64_t head : bearing(document)) CHECK((head != 0 && head != 1 && head != 5 && head != 7));
}

TEST_CASE("Heads that share their keys lose their names as the groups grow", "[patterns]") {
  const auto has = [](const Heads& heads, std::int64_t head) {
    return std::find(heads.begin(), heads.end(), head) != heads.end();
  };
  CHECK_FALSE(has(bearing(edit::kv_heads(sentence(), 4)), 1));
  CHECK_FALSE(has(bearing(edit::kv_heads(sentence(), 2)), 0));
  CHECK(bearing(edit::kv_heads(sentence(), 1)) == Heads{4});
}

TEST_CASE("On a long text heads whose position waves repeat lose their names", "[patterns]") {
  std::string text;
  while (tokenize(text).size() < 344)
    text +=
        "The quick brown fox jumps over the lazy dog while a small bird sings in the old tree near our house "
        ". ";
  const Heads heads = bearing(hand_built(text));
  for (const std::int64_t head : {1, 7}) CHECK(std::find(heads.begin(), heads.end(), head) == heads.end());
  for (const std::int64_t head : {2, 3, 4, 6})
    CHECK(std::find(heads.begin(), heads.end(), head) != heads.end());
}

TEST_CASE("Random heads are called by nothing, a head of one pattern by that", "[patterns]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Document document = edit::seed(edit::recipe(sentence(), Recipe::Random), seed);
    for (const bool causal : {true, false}) {
      Document one = document;
      one.layer().masking.causal = causal;
      const ResultPtr result = compute(one);
      for (std::int64_t h = 0; h < 8; ++h) CHECK_FALSE(found_pattern(scores_of(*result, h)));
    }
  }
  Document document = sentence();
  document.layer().weights.head_names.clear();  // as if they were not hand-built
  const ResultPtr result = compute(document);
  CHECK(found_pattern(scores_of(*result, 0)) == HeadPattern::Previous);
  CHECK(found_pattern(scores_of(*result, 1)) == HeadPattern::First);
  CHECK(found_pattern(scores_of(*result, 2)) == HeadPattern::SameToken);
  CHECK_FALSE(found_pattern(scores_of(*result, 4)));
  // Too few rows for a name.
  document.input.sequences = {{"The cat sat", {"The", "cat", "sat"}}};
  CHECK_FALSE(found_pattern(scores_of(*compute(document), 0)));
}

TEST_CASE("Every built head and preset has a pattern", "[patterns]") {
  for (const std::string& name : sentence().layer().weights.head_names) CHECK(pattern_of(name));
  for (const HeadPreset preset : {HeadPreset::PreviousToken, HeadPreset::NextToken, HeadPreset::FirstToken,
                                  HeadPreset::SameToken, HeadPreset::Uniform})
    CHECK(pattern_of(name_of(preset)));
  CHECK_FALSE(pattern_of(""));
  CHECK_FALSE(pattern_of("something else"));
}

}  // namespace attnscope::head_patterns_test
