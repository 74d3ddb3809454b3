// Activation patching over many pairs: against a naive decoder in double and against each pair alone; the
// file of the pairs, and the refusal of a pair that cannot be patched.
#include "core/readouts/over_texts/patch_spread.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/models/reading/open_model.hpp"
#include "core/opened_models.hpp"
#include "core/small_models.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::patch_spread_test {
namespace {

using Catch::Matchers::ContainsSubstring;

const std::string letter_pairs =
    "abcab\tabdab\tc\td\n"
    "\n"
    "fgha\tfgba\tb\te\n"
    "acegik\tacehik\tg\th\n";

/// From their definitions, in two passes.
void check_numbers(const MeasureSpread& found, const std::vector<double>& values, double tolerance) {
  const auto n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  CHECK(found.values.count() == std::ssize(values));
  CHECK(found.not_finite == 0);
  CHECK(std::abs(found.values.mean() - mean) < tolerance);
  CHECK(std::abs(found.values.deviation() - std::sqrt(squares / (n - 1))) < tolerance);
  CHECK(std::abs(found.values.least() - std::ranges::min(values)) < tolerance);
  CHECK(std::abs(found.values.largest() - std::ranges::max(values)) < tolerance);
}

/// The pair alone, as the file's only line.
PatchSpreads alone(const OpenedModel& opened, const PairList& list, std::size_t pair,
                   const std::optional<std::string>& decoder_text, const Work& work) {
  PairList one;
  one.lines.path = list.lines.path;
  one.lines.texts = {list.lines.texts[pair]};
  one.pairs = {list.pairs[pair]};
  return patch_spreads(opened, one, decoder_text, nullptr, work);
}

/// Compares with patch_effects() and direct_effects() of the pair, called directly.
void check_against_readouts(const OpenedModel& opened, const PairTokens& tokens, const PatchSpreads& found,
                            const Work& work) {
  const Model& model = *opened.model;
  const ModelRun clean = run_model(model, tokens.clean.input, {}, work),
                 corrupted = run_model(model, tokens.corrupted.input, {}, work);
  const PatchedPair pair{
      model, clean, corrupted, tokens.row, found.pairs[0].asked.token, found.pairs[0].asked.other};
  CHECK(found.pairs[0].clean == answer_of(pair, clean, work));
  CHECK(found.pairs[0].corrupted == answer_of(pair, corrupted, work));
  std::vector<PatchPlace> places;
  for (const HeadPatchSpread& head : found.heads) places.push_back({head.head});
  const std::vector<double> effects = patch_effects(pair, places, nullptr, work),
                            direct = direct_effects(pair, work);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    CHECK(found.heads[i].at(PatchMeasure::Effect).values.mean() == effects[i]);
    if (!direct.empty()) CHECK(found.heads[i].at(PatchMeasure::DirectEffect).values.mean() == direct[i]);
  }
  CHECK(found.measured.size() == (direct.empty() ? 2U : 3U));
}

/// Mean and spread of all pairs are those of the results of each alone.
void check_against_single_pairs(const OpenedModel& opened, const PairList& list,
                                const std::optional<std::string>& decoder_text, const Work& work) {
  const PatchSpreads all = patch_spreads(opened, list, decoder_text, nullptr, work);
  CHECK(all.not_numbers.empty());
  REQUIRE(all.pairs.size() == list.pairs.size());
  const std::vector<PairTokens> tokens = tokens_of_pairs(opened, list, decoder_text);
  std::vector<PatchSpreads> singles;
  for (std::size_t i = 0; i < list.pairs.size(); ++i) {
    singles.push_back(alone(opened, list, i, decoder_text, work));
    CHECK(singles[i].pairs[0].asked == all.pairs[i].asked);
    check_against_readouts(opened, tokens[i], singles[i], work);
  }
  double largest = 0;
  for (std::size_t i = 0; i < all.heads.size(); ++i)
    for (const PatchMeasure measure : all.measured) {
      CAPTURE(all.heads[i].head.block, all.heads[i].head.head, id_of(measure));
      std::vector<double> values;
      for (const PatchSpreads& single : singles) {
        REQUIRE(single.heads[i].at(measure).values.count() == 1);
        values.push_back(single.heads[i].at(measure).values.mean());
      }
      const double size = std::max(std::abs(std::ranges::min(values)), std::abs(std::ranges::max(values)));
      check_numbers(all.heads[i].at(measure), values, 1e-12 * (1 + size));
      if (measure == PatchMeasure::Effect) largest = std::max(largest, size);
    }
  CHECK(largest > 0);
}

}  // namespace

TEST_CASE("pairs of texts are read line by line", "[readouts][texts]") {
  const test::TemporaryDirectory directory;
  const PairList list =
      read_pair_list(directory.write("p.txt", "a b\tc d\r\n\r\nab\tba\tb\ta\nab\tba\tb\nab\tba\t\ta\n"));
  REQUIRE(list.pairs.size() == 4);
  CHECK(list.pairs[0].clean == "a b");
  CHECK(list.pairs[0].corrupted == "c d");
  CHECK(list.pairs[0].answer.empty());
  CHECK(list.pairs[1].answer == "b");
  CHECK(list.pairs[1].other == "a");
  CHECK(list.pairs[2].answer == "b");
  CHECK(list.pairs[2].other.empty());
  CHECK(list.pairs[3].answer.empty());
  CHECK(list.pairs[3].other == "a");
  CHECK(list.lines.texts[1].line == 3);
  CHECK(list.lines.left_out == std::vector<std::int64_t>{2});
  CHECK_THROWS_WITH(read_pair_list(directory.write("one.txt", "a\tb\nab\n")),
                    ContainsSubstring("Line 2 of") && ContainsSubstring("one.txt\": There is no tab in it"));
  CHECK_THROWS_WITH(read_pair_list(directory.write("five.txt", "\na\tb\tc\td\te\n")),
                    ContainsSubstring("Line 2 of") && ContainsSubstring("It has 5 fields"));
  CHECK_THROWS_WITH(read_pair_list(directory.write("clean.txt", "\tb\n")),
                    ContainsSubstring("Line 1 of") && ContainsSubstring("The clean text is empty"));
  CHECK_THROWS_WITH(read_pair_list(directory.write("corrupted.txt", "a\t\tb\n")),
                    ContainsSubstring("The corrupted text is empty"));
  CHECK_THROWS_WITH(read_pair_list(directory / "none.txt"), ContainsSubstring("none.txt"));
}

TEST_CASE("patching over pairs is that of a decoder in naive doubles", "[readouts][texts][patching]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr opened = opened_models::small_gpt(directory / "gpt");
  const PairList list = read_pair_list(directory.write("p.txt", letter_pairs));
  ThreadPool pool(2);
  TextsProgress progress;
  const PatchSpreads found = patch_spreads(*opened, list, {}, &progress, Work{pool, {}});
  CHECK(progress.done == 3);
  CHECK(progress.total == 3);
  CHECK(found.of == AttentionOf::Decoder);
  REQUIRE(found.pairs.size() == 3);
  CHECK(found.pairs[1].line == 3);
  CHECK(found.pairs[1].tokens == 4);
  CHECK(found.pairs[1].asked == AskedAnswer{1, 4});
  CHECK(found.heads.size() == small_models::gpt_blocks * small_models::gpt_heads);
  const oracle::GptWeights weights = small_models::gpt_weights();
  struct NaivePair {
    oracle::GptRun clean;
    std::vector<int> corrupted;
    std::size_t token, other;
    double without, difference;
    double answer(const oracle::GptRun& run) const {
      return run.logits.back()[token] - run.logits.back()[other];
    }
  };
  std::vector<NaivePair> pairs;
  std::vector<double> clean_answers;
  for (const PairTokens& tokens : tokens_of_pairs(*opened, list, {})) {
    const std::vector<std::int64_t>&a = tokens.clean.input.ids, &b = tokens.corrupted.input.ids;
    NaivePair pair{oracle::run_gpt(weights, {a.begin(), a.end()}),
                   {b.begin(), b.end()},
                   static_cast<std::size_t>(tokens.answer.value()),
                   static_cast<std::size_t>(tokens.other.value()),
                   0,
                   0};
    pair.without = pair.answer(oracle::run_gpt(weights, pair.corrupted));
    clean_answers.push_back(pair.answer(pair.clean));
    pair.difference = clean_answers.back() - pair.without;
    REQUIRE(std::abs(pair.difference) > 1e-3);
    pairs.push_back(std::move(pair));
  }
  CHECK(std::abs(found.clean.mean() - (clean_answers[0] + clean_answers[1] + clean_answers[2]) / 3) < 1e-5);
  for (const HeadPatchSpread& head : found.heads) {
    CAPTURE(head.head.block, head.head.head);
    std::vector<double> effects, shares;
    double share_error = 0;
    for (const NaivePair& pair : pairs) {
      oracle::GptHooks hooks;
      hooks.output = [&](int block, int at, oracle::GptRows& output) {
        if (block == head.head.block && at == head.head.head)
          output = pair.clean.outputs[static_cast<std::size_t>(block)][static_cast<std::size_t>(at)];
      };
      effects.push_back(pair.answer(oracle::run_gpt(weights, pair.corrupted, hooks)) - pair.without);
      shares.push_back(effects.back() / pair.difference);
      share_error = std::max(share_error, 2e-5 * (1 + std::abs(shares.back())) / std::abs(pair.difference));
    }
    check_numbers(head.at(PatchMeasure::Effect), effects, 2e-5);
    check_numbers(head.at(PatchMeasure::Share), shares, share_error);
    CHECK(head.at(PatchMeasure::DirectEffect).values.count() == 3);
  }
}

TEST_CASE("patching over pairs is the mean of every pair alone", "[readouts][texts][patching]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  check_against_single_pairs(*opened_models::small_gpt(directory / "gpt"),
                             read_pair_list(directory.write("p.txt", letter_pairs + "abab\tabcb\n")), {},
                             work);
  const PairList masked = read_pair_list(directory.write(
      "m.txt", "the [MASK] sat\tthe [MASK] ran\tcat\tdog\nparis is the [MASK] .\tfrance is the [MASK] .\n"));
  for (const char* name : {"bert_masked", "distilbert"}) {
    CAPTURE(name);
    write_small_bert(directory / name, name);
    check_against_single_pairs(*open_whole_model(directory / name), masked, {}, work);
  }
  const PairList words = read_pair_list(
      directory.write("w.txt", "the cat sat on the mat\tthe mat sat on the cat\nthe cat sat\tthe mat sat\n"));
  write_small_bert(directory / "classes", "bert_classify");
  check_against_single_pairs(*open_whole_model(directory / "classes"), words, {}, work);
  write_small_t5(directory / "t5");
  check_against_single_pairs(*open_whole_model(directory / "t5"), words, "die Katze", work);
}

TEST_CASE("a pair that cannot be patched is refused by its line", "[readouts][texts][patching]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(1);
  const Work work{pool, {}};
  const OpenedModelPtr gpt = opened_models::small_gpt(directory / "gpt");
  const auto patch = [&](const OpenedModel& opened, const std::string& lines, TextsProgress* progress) {
    return patch_spreads(opened, read_pair_list(directory.write("p.txt", lines)), {}, progress, work);
  };
  // Nothing runs before all pairs are read: no pair is counted.
  TextsProgress progress;
  CHECK_THROWS_WITH(patch(*gpt, "abc\tabd\n\nabc\tab\n", &progress),
                    ContainsSubstring("Line 3 of") &&
                        ContainsSubstring("p.txt\": The clean text has 3 tokens") &&
                        ContainsSubstring("the corrupted one 2"));
  CHECK(progress.total == 0);
  CHECK_THROWS_WITH(patch(*gpt, "abc\tabc\n", nullptr),
                    ContainsSubstring("Line 1 of") && ContainsSubstring("are the same tokens"));
  CHECK_THROWS_WITH(patch(*gpt, "abc\tabd\tc\tde\n", nullptr),
                    ContainsSubstring("Line 1 of") && ContainsSubstring("is 2 tokens"));
  CHECK_THROWS_WITH(patch(*gpt, "abc\tabd\tc\tc\n", nullptr), ContainsSubstring("Both answers are \"c\""));
  const std::string long_text(100, 'a');
  CHECK_THROWS_WITH(patch(*gpt, "a\tb\n" + long_text + "\t" + long_text + "b\n", nullptr),
                    ContainsSubstring("Line 2 of") && ContainsSubstring("has 100 tokens"));
  CHECK_THROWS_WITH(
      patch_spreads(*gpt, read_pair_list(directory.write("p.txt", "a\tb\n")), "a", nullptr, work),
      ContainsSubstring("encoder-decoders"));
  write_small_bert(directory / "bert");
  const OpenedModelPtr bert = open_whole_model(directory / "bert");
  CHECK_THROWS_WITH(patch(*bert, "the cat\tthe dog\n", nullptr),
                    ContainsSubstring("The clean text has no masked token") &&
                        ContainsSubstring("write [MASK] for a word"));
  CHECK_THROWS_WITH(patch(*bert, "the [MASK]\t[MASK] dog\n", nullptr),
                    ContainsSubstring("number 2 of the clean text and number 1 of the corrupted one"));
  write_small_bert(directory / "tokens", "bert_tokens");
  CHECK_THROWS_WITH(patch(*open_whole_model(directory / "tokens"), "the cat\tthe dog\n", nullptr),
                    ContainsSubstring("classes of its own"));
  write_small_vit(directory / "vit");
  OpenedModel pictures;
  pictures.model = open_model(directory / "vit");
  CHECK_THROWS_WITH(patch(pictures, "a\tb\n", nullptr), ContainsSubstring("takes pictures"));
}

TEST_CASE("patching over pairs stops when it is told to, and counts what is no number apart",
          "[readouts][texts][patching]") {
  const test::TemporaryDirectory directory;
  oracle::GptWeights weights = small_models::gpt_weights();
  weights.positions[4][3] = std::nan("");  // of the fifth token
  small_models::write_gpt(directory / "gpt", weights);
  const OpenedModelPtr opened = opened_models::with_letters(directory / "gpt");
  const PairList list = read_pair_list(directory.write("p.txt", "abab\tabbb\nabcab\tabdab\nbaZb\tbaa\n"));
  ThreadPool pool(2);
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(patch_spreads(*opened, list, {}, nullptr, Work{pool, stop.get_token()}), Cancelled);
  const PatchSpreads found = patch_spreads(*opened, list, {}, nullptr, Work{pool, {}});
  REQUIRE(found.not_numbers.size() == 1);
  CHECK(found.not_numbers[0].line == 2);
  CHECK_THAT(found.not_numbers[0].sentence, ContainsSubstring("NaN"));
  CHECK(std::isnan(found.pairs[1].clean));
  CHECK(found.clean.count() == 2);
  REQUIRE(found.untold.size() == 1);
  CHECK(found.untold[0].line == 3);
  for (const HeadPatchSpread& head : found.heads)
    for (const PatchMeasure measure : found.measured) {
      CHECK(head.at(measure).not_finite == 1);
      CHECK(head.at(measure).values.count() + head.at(measure).without == 2);
    }
}

}  // namespace attnscope::patch_spread_test
