// Head scores and effects over many texts: against naive doubles that keep every value and compute mean and
// deviation by definition; and the file of the texts.
#include "core/readouts/over_texts/head_spread.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/models/run_heads.hpp"
#include "core/opened_models.hpp"
#include "core/readouts/head_scores.hpp"
#include "core/small_models.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::head_spread_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using oracle::GptRows;
using Planes = std::vector<std::vector<GptRows>>;  // [block][head][query][key]

const std::string letter_lines = "abcab\na\n\nccccc\nabcdefgh\n";

/// A stack's run of one text, in double.
struct NaiveText {
  std::vector<std::int64_t> ids;
  Planes weights;
};

struct NaiveStack {
  const StackSpec& spec;
  const std::vector<std::int64_t>& special;

  bool sees(std::size_t block, std::size_t i, std::size_t j) const {
    if (spec.causal() && j > i) return false;
    const std::int64_t window = window_of(spec.blocks[block]);
    const auto apart = static_cast<std::int64_t>(i > j ? i - j : j - i);
    return window == 0 || apart < window;
  }

  bool counts(TextMeasure measure, const std::vector<std::int64_t>& ids, std::size_t i, std::size_t j) const {
    switch (measure) {
      case TextMeasure::Previous: return j + 1 == i;
      case TextMeasure::Next: return j == i + 1;
      case TextMeasure::Duplicate: return j != i && ids[j] == ids[i];
      case TextMeasure::Induction: return j > 0 && j - 1 != i && ids[j - 1] == ids[i];
      case TextMeasure::First: return j == 0;
      case TextMeasure::Special: return std::ranges::find(special, ids[j]) != special.end();
      default: return false;
    }
  }

  /// The score and that of uniform attention; empty where no row has the choice.
  std::optional<std::pair<double, double>> measure(TextMeasure what, const NaiveText& text, std::size_t block,
                                                   std::size_t head) const {
    const GptRows& weights = text.weights[block][head];
    double sum = 0, uniform = 0, rows = 0;
    for (std::size_t i = 0; i < text.ids.size(); ++i) {
      double mass = 0, counted = 0, seen = 0, entropy = 0;
      for (std::size_t j = 0; j < text.ids.size(); ++j) {
        if (!sees(block, i, j)) continue;
        ++seen;
        if (weights[i][j] > 0) entropy -= weights[i][j] * std::log(weights[i][j]);
        if (!counts(what, text.ids, i, j)) continue;
        mass += weights[i][j];
        ++counted;
      }
      const bool of_entropy = what == TextMeasure::Entropy;
      if (of_entropy ? seen < 2 : counted == 0 || counted == seen) continue;
      sum += of_entropy ? entropy / std::log(seen) : mass;
      uniform += of_entropy ? 1 : counted / seen;
      ++rows;
    }
    if (rows == 0) return std::nullopt;
    return std::pair(sum / rows, uniform / rows);
  }
};

/// Mean, spread and ends from their definitions, in two passes.
void check_spread(const MeasureSpread& found, const std::vector<double>& values, std::size_t texts,
                  double tolerance) {
  CHECK(found.values.count() == std::ssize(values));
  CHECK(found.without == static_cast<std::int64_t>(texts - values.size()));
  CHECK(found.not_finite == 0);
  const auto n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  if (values.empty()) {
    CHECK(std::isnan(found.values.mean()));
    CHECK(std::isnan(found.values.least()));
    CHECK(std::isnan(found.values.largest()));
  } else {
    CHECK(std::abs(found.values.mean() - mean) < tolerance);
    CHECK(std::abs(found.values.least() - std::ranges::min(values)) < tolerance);
    CHECK(std::abs(found.values.largest() - std::ranges::max(values)) < tolerance);
  }
  if (values.size() < 2)
    CHECK(std::isnan(found.values.deviation()));
  else
    CHECK(std::abs(found.values.deviation() - std::sqrt(squares / (n - 1))) < tolerance);
}

/// Every score of every head of one stack.
void check_scores(const HeadSpreads& found, AttentionOf of, const NaiveStack& stack,
                  const std::vector<NaiveText>& texts) {
  std::size_t heads = 0;
  for (const HeadSpread& head : found.heads) {
    if (head.of != of) continue;
    ++heads;
    const auto block = static_cast<std::size_t>(head.block), h = static_cast<std::size_t>(head.head);
    for (std::size_t m = 0; m <= static_cast<std::size_t>(TextMeasure::Entropy); ++m) {
      const auto measure = static_cast<TextMeasure>(m);
      CAPTURE(head.block, head.head, id_of(measure));
      std::vector<double> values;
      double uniform = 0;
      for (const NaiveText& text : texts)
        if (const auto value = stack.measure(measure, text, block, h)) {
          values.push_back(value->first);
          uniform += value->second;
        }
      check_spread(head.at(measure), values, texts.size(), 2e-5);
      if (!values.empty())
        CHECK(std::abs(head.at(measure).uniform.mean() - uniform / static_cast<double>(values.size())) <
              1e-9);
      CHECK(found.has(head, measure));
    }
    CHECK_FALSE(found.has(head, TextMeasure::Divergence));
  }
  std::size_t all = 0;
  for (const LayerSpec& block : stack.spec.blocks) all += static_cast<std::size_t>(block.heads);
  CHECK(heads == all);
}

/// The model's weights of attention, in double.
Planes planes_of(const Model& model, const ModelRun& run, AttentionOf of, const Work& work) {
  Planes planes;
  const StackSpec& spec = stack_of(model, run, of).spec;
  for (std::size_t b = 0; b < spec.blocks.size(); ++b) {
    auto& heads = planes.emplace_back();
    for (int h = 0; h < spec.blocks[b].heads; ++h) {
      const Tensor weights = head_weights(model, run, of, b, h, work);
      GptRows& rows = heads.emplace_back();
      for (Eigen::Index i = 0; i < weights.matrix().rows(); ++i) {
        oracle::GptRow& row = rows.emplace_back();
        for (Eigen::Index j = 0; j < weights.matrix().cols(); ++j)
          row.push_back(static_cast<double>(weights.matrix()(i, j)));
      }
    }
  }
  return planes;
}

std::vector<NaiveText> naive_texts(const OpenedModel& opened, const TextList& list, AttentionOf of,
                                   const std::optional<std::string>& decoder_text, const Work& work) {
  std::vector<NaiveText> texts;
  for (const ModelTokens& tokens : tokens_of_list(opened, list, decoder_text)) {
    const ModelRun run = run_model(*opened.model, tokens.input, {}, work);
    const bool own = of == AttentionOf::Decoder && opened.model->spec.encoder;
    texts.push_back({own ? run.input.decoder_ids : run.input.ids, planes_of(*opened.model, run, of, work)});
  }
  return texts;
}

/// KL(p ‖ q) of two rows of logits.
double naive_divergence(const std::vector<double>& p, const std::vector<double>& q) {
  double sum_p = 0, sum_q = 0, divergence = 0;
  for (const double x : p) sum_p += std::exp(x);
  for (const double x : q) sum_q += std::exp(x);
  for (std::size_t i = 0; i < p.size(); ++i)
    divergence += std::exp(p[i]) / sum_p * ((p[i] - std::log(sum_p)) - (q[i] - std::log(sum_q)));
  return divergence;
}

std::vector<double> doubles_of(const KeptRows& rows, std::int64_t row) {
  return {rows.row(row), rows.row(row) + rows.width};
}

}  // namespace

TEST_CASE("scores over texts are those of a decoder in naive doubles", "[readouts][texts]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr opened = opened_models::small_gpt(directory / "gpt");
  const TextList list = read_text_list(directory.write("t.txt", letter_lines));
  CHECK(list.left_out == std::vector<std::int64_t>{3});
  CHECK(list.texts.back().line == 5);
  ThreadPool pool(2);
  TextsProgress progress;
  const HeadSpreads found = head_spreads(*opened, list, {}, &progress, Work{pool, {}});
  CHECK(progress.done == 4);
  CHECK(progress.total == 4);
  CHECK(found.tokens == std::vector<std::int64_t>{5, 1, 5, 8});
  CHECK(found.not_numbers.empty());
  const oracle::GptWeights weights = small_models::gpt_weights();
  std::vector<NaiveText> texts;
  for (const ModelTokens& tokens : tokens_of_list(*opened, list, {})) {
    const std::vector<std::int64_t>& ids = tokens.input.ids;
    texts.push_back({ids, oracle::run_gpt(weights, {ids.begin(), ids.end()}).weights});
  }
  check_scores(found, AttentionOf::Decoder, {*opened->model->spec.decoder, opened->special}, texts);
  // A single token has only a row of one key, and only "abcab" repeats a token that had a next one.
  const HeadSpread& head = found.heads[0];
  CHECK(head.at(TextMeasure::Entropy).without == 1);
  CHECK(head.at(TextMeasure::Induction).values.count() == 2);
  CHECK(head.at(TextMeasure::Special).without == 4);
}

TEST_CASE("scores over texts of every family", "[readouts][texts]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  const TextList letters = read_text_list(directory.write("letters.txt", letter_lines));
  for (const std::string& family : small_models::other_families) {
    CAPTURE(family);
    small_models::write_other(directory / family, family);
    const OpenedModelPtr opened = opened_models::with_letters(directory / family);
    check_scores(head_spreads(*opened, letters, {}, nullptr, work), AttentionOf::Decoder,
                 {*opened->model->spec.decoder, opened->special},
                 naive_texts(*opened, letters, AttentionOf::Decoder, {}, work));
  }
  const TextList words = read_text_list(directory.write("words.txt", "the cat sat on the mat\na dog\n"));
  for (const char* name : {"bert_masked", "distilbert"}) {
    CAPTURE(name);
    write_small_bert(directory / name, name);
    const OpenedModelPtr opened = open_whole_model(directory / name);
    REQUIRE_FALSE(opened->special.empty());
    const HeadSpreads found = head_spreads(*opened, words, {}, nullptr, work);
    CHECK(found.heads[0].at(TextMeasure::Special).values.count() == 2);
    check_scores(found, AttentionOf::Encoder, {*opened->model->spec.encoder, opened->special},
                 naive_texts(*opened, words, AttentionOf::Encoder, {}, work));
  }
  write_small_t5(directory / "t5");
  const OpenedModelPtr t5 = open_whole_model(directory / "t5");
  const HeadSpreads found = head_spreads(*t5, words, {.decoder_text = "die Katze"}, nullptr, work);
  CHECK(found.output == AttentionOf::Decoder);
  check_scores(found, AttentionOf::Encoder, {*t5->model->spec.encoder, t5->special},
               naive_texts(*t5, words, AttentionOf::Encoder, "die Katze", work));
  check_scores(found, AttentionOf::Decoder, {*t5->model->spec.decoder, t5->special},
               naive_texts(*t5, words, AttentionOf::Decoder, "die Katze", work));
}

TEST_CASE("the shipped induction model's scores over texts", "[readouts][texts]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  const OpenedModelPtr opened =
      open_whole_model(std::filesystem::path(ATTNSCOPE_ASSETS) / "models/induction");
  const TextList list = read_text_list(
      directory.write("t.txt", "t3 t14 t15 t9 t3 t14 t15 t9\nt1 t2 t5 t1 t2 t5\nt7 t8 t11 t12\n"));
  const HeadSpreads found = head_spreads(*opened, list, {}, nullptr, work);
  check_scores(found, AttentionOf::Decoder, {*opened->model->spec.decoder, opened->special},
               naive_texts(*opened, list, AttentionOf::Decoder, {}, work));
  // The last text has no repeated token: it is counted apart and does not enter the mean.
  CHECK(found.heads[0].at(TextMeasure::Induction).without == 1);
  double best = 0;
  for (const HeadSpread& head : found.heads)
    best = std::max(best, head.at(TextMeasure::Induction).values.mean());
  CHECK(best > 0.5);
}

TEST_CASE("effects over texts are those of a decoder without the head", "[readouts][texts]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr opened = opened_models::small_gpt(directory / "gpt");
  const TextList list = read_text_list(directory.write("t.txt", letter_lines));
  ThreadPool pool(2);
  const HeadSpreads found = head_spreads(*opened, list, {.effects = AblationRequest{.all_positions = true}},
                                         nullptr, Work{pool, {}});
  CHECK(found.measured.size() == text_measure_count);
  const oracle::GptWeights weights = small_models::gpt_weights();
  for (const HeadSpread& head : found.heads) {
    CAPTURE(head.block, head.head);
    std::vector<double> divergences, logits, means, likelihoods;
    for (const ModelTokens& tokens : tokens_of_list(*opened, list, {})) {
      const std::vector<int> ids(tokens.input.ids.begin(), tokens.input.ids.end());
      oracle::GptHooks hooks;
      hooks.output = [&](int block, int at, GptRows& output) {
        if (block == head.block && at == head.head)
          for (oracle::GptRow& row : output) std::ranges::fill(row, 0.0);
      };
      const GptRows before = oracle::run_gpt(weights, ids).logits,
                    after = oracle::run_gpt(weights, ids, hooks).logits;
      divergences.push_back(naive_divergence(before.back(), after.back()));
      const std::ptrdiff_t top = std::ranges::max_element(before.back()) - before.back().begin();
      logits.push_back(after.back()[static_cast<std::size_t>(top)] -
                       before.back()[static_cast<std::size_t>(top)]);
      double mean = 0, likelihood = 0;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        mean += naive_divergence(before[i], after[i]) / static_cast<double>(ids.size());
        if (i + 1 == ids.size()) continue;
        double sum_before = 0, sum_after = 0;
        for (const double x : before[i]) sum_before += std::exp(x);
        for (const double x : after[i]) sum_after += std::exp(x);
        const auto next = static_cast<std::size_t>(ids[i + 1]);
        likelihood += ((before[i][next] - std::log(sum_before)) - (after[i][next] - std::log(sum_after))) /
                      static_cast<double>(ids.size() - 1);
      }
      means.push_back(mean);
      if (ids.size() > 1) likelihoods.push_back(likelihood);  // a single token has no next one
    }
    check_spread(head.at(TextMeasure::Divergence), divergences, 4, 1e-5);
    check_spread(head.at(TextMeasure::TopLogit), logits, 4, 1e-5);
    check_spread(head.at(TextMeasure::MeanDivergence), means, 4, 1e-5);
    check_spread(head.at(TextMeasure::Likelihood), likelihoods, 4, 1e-5);
    CHECK(head.at(TextMeasure::Divergence).uniform.count() == 0);
  }
  const HeadSpreads last =
      head_spreads(*opened, list, {.effects = AblationRequest{}}, nullptr, Work{pool, {}});
  CHECK(last.has(last.heads[0], TextMeasure::Divergence));
  CHECK_FALSE(last.has(last.heads[0], TextMeasure::MeanDivergence));
}

TEST_CASE("effects of an encoder are counted for texts with a masked token", "[readouts][texts]") {
  const test::TemporaryDirectory directory;
  write_small_bert(directory / "bert");
  const OpenedModelPtr opened = open_whole_model(directory / "bert");
  ThreadPool pool(2);
  const Work work{pool, {}};
  const TextList list =
      read_text_list(directory.write("t.txt", "the [MASK] sat\nthe cat sat\nparis is the [MASK] .\n"));
  const HeadSpreads found = head_spreads(*opened, list, {.effects = AblationRequest{}}, nullptr, work);
  for (const HeadSpread& head : found.heads) {
    CAPTURE(head.block, head.head);
    std::vector<double> divergences;
    for (const ModelTokens& tokens : tokens_of_list(*opened, list, {})) {
      const std::vector<std::int64_t>& ids = tokens.input.ids;
      const auto at = std::ranges::find(ids, std::int64_t{4});  // [MASK]
      if (at == ids.end()) continue;
      const ModelRun before = run_model(*opened->model, tokens.input, {}, work);
      const ModelRun after = run_model(
          *opened->model, tokens.input,
          {.changes = {.heads = {{.of = AttentionOf::Encoder, .block = head.block, .head = head.head}}}},
          work);
      const std::int64_t row = at - ids.begin();
      divergences.push_back(naive_divergence(doubles_of(before.logits, row), doubles_of(after.logits, row)));
    }
    REQUIRE(divergences.size() == 2);
    check_spread(head.at(TextMeasure::Divergence), divergences, 3, 1e-5);
    CHECK(head.at(TextMeasure::Previous).values.count() == 3);
  }
  const TextList none = read_text_list(directory.write("none.txt", "the cat sat\n"));
  CHECK_THROWS_WITH(
      head_spreads(*opened, none, {.effects = AblationRequest{}}, nullptr, work),
      ContainsSubstring("none.txt\" has a masked token") && ContainsSubstring("write [MASK] for a word"));
  write_small_bert(directory / "tokens", "bert_tokens");
  CHECK_THROWS_WITH(head_spreads(*open_whole_model(directory / "tokens"), none,
                                 {.effects = AblationRequest{}}, nullptr, work),
                    ContainsSubstring("classes of its own"));
}

TEST_CASE("a text on which the model gives NaN is counted apart and named", "[readouts][texts]") {
  const test::TemporaryDirectory directory;
  oracle::GptWeights weights = small_models::gpt_weights();
  weights.positions[4][3] = std::nan("");  // of the fifth token
  small_models::write_gpt(directory / "gpt", weights);
  const OpenedModelPtr opened = opened_models::with_letters(directory / "gpt");
  const TextList list = read_text_list(directory.write("t.txt", "abab\nabcab\nbabb\n"));
  ThreadPool pool(2);
  HeadSpreadRequest request;
  request.effects = AblationRequest{};
  const HeadSpreads found = head_spreads(*opened, list, request, nullptr, Work{pool, {}});
  REQUIRE(found.not_numbers.size() == 1);
  CHECK(found.not_numbers[0].line == 2);
  CHECK_THAT(found.not_numbers[0].sentence, ContainsSubstring("NaN"));
  for (const HeadSpread& head : found.heads)
    for (const TextMeasure measure : {TextMeasure::Previous, TextMeasure::First, TextMeasure::Divergence}) {
      CAPTURE(head.block, head.head, id_of(measure));
      CHECK(head.at(measure).not_finite == 1);
      CHECK(head.at(measure).without == 0);
      CHECK(head.at(measure).values.count() == 2);
      CHECK(std::isfinite(head.at(measure).values.mean()));
    }
}

}  // namespace attnscope::head_spread_test
