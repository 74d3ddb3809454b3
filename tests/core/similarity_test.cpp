// Sentence embeddings and their cosines against naive doubles, and the pooling settings in folders of
// sentence-transformers.
#include "core/readouts/over_texts/similarity.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/opened_models.hpp"
#include "core/small_models.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::similarity_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Rows = std::vector<std::vector<double>>;
using enum SentencePooling;
const std::vector<SentencePooling> every_pooling{First, Max, Mean, MeanSqrtLength, WeightedMean, Last};

/// By the definitions, with all rows unmasked.
std::vector<double> naive_pooled(const Rows& rows, SentencePooling how, std::size_t first_place = 0) {
  std::vector<double> made;
  const auto n = static_cast<double>(rows.size());
  for (std::size_t c = 0; c < rows[0].size(); ++c) {
    double sum = 0, weighted = 0, weights = 0, most = rows[0][c];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto place = static_cast<double>(first_place + i + 1);
      sum += rows[i][c];
      weighted += place * rows[i][c];
      weights += place;
      most = std::max(most, rows[i][c]);
    }
    switch (how) {
      case First: made.push_back(rows.front()[c]); break;
      case Last: made.push_back(rows.back()[c]); break;
      case Max: made.push_back(most); break;
      case Mean: made.push_back(sum / n); break;
      case MeanSqrtLength: made.push_back(sum / std::sqrt(n)); break;
      case WeightedMean: made.push_back(weighted / weights); break;
    }
  }
  return made;
}

double naive_cosine(const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return ab / std::sqrt(aa) / std::sqrt(bb);
}

Rows doubles_of(const KeptRows& rows, std::int64_t first, std::int64_t count) {
  Rows made;
  for (std::int64_t i = first; i < first + count; ++i)
    made.emplace_back(rows.row(i), rows.row(i) + rows.width);
  return made;
}

void check_close(const std::vector<double>& found, const std::vector<double>& wanted, double tolerance) {
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(std::abs(found[i] - wanted[i]) < tolerance);
}

/// modules.json with a transformer in the folder itself, a pooling and further modules.
void write_modules(const std::filesystem::path& folder, const std::string& pooling,
                   const std::string& more = "") {
  std::filesystem::create_directories(folder / "1_Pooling");
  std::ofstream(folder / "modules.json") << fmt::format(
      R"([{{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}},
          {{"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}}{}])",
      more);
  std::ofstream(folder / "1_Pooling/config.json") << pooling;
}

std::string refusal_of(const std::filesystem::path& folder) {
  return test::message_of<Error>([&] { (void)read_sentence_modules(folder); });
}

}  // namespace

TEST_CASE("rows are pooled without those that are hidden", "[readouts][similar]") {
  KeptRows rows{.width = 3, .values = {9, 9, 9, 1, -2, 3, 4, -5, 0, 2, -1, 7, 8, 8, 8}};
  const std::vector<std::uint8_t> mask{0, 1, 1, 1, 0};
  for (const SentencePooling how : every_pooling) {
    CAPTURE(name_of(how));
    const std::vector<SentencePooling> one{how};
    check_close(pooled_rows(rows, mask, one), naive_pooled(doubles_of(rows, 1, 3), how, 1), 1e-12);
    check_close(pooled_rows(rows, {}, one), naive_pooled(doubles_of(rows, 0, 5), how), 1e-12);
    CHECK(sentence_pooling_from(name_of(how)) == how);
  }
  const std::vector<SentencePooling> both{First, Max};
  check_close(pooled_rows(rows, mask, both), {1, -2, 3, 4, -1, 7}, 1e-12);
  const std::vector<std::uint8_t> none(5, 0);
  CHECK_THROWS_WITH(pooled_rows(rows, none, both), ContainsSubstring("All tokens of the text are hidden"));
}

TEST_CASE("cosines of texts are those of a decoder in naive doubles", "[readouts][similar]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr opened = opened_models::small_gpt(directory / "gpt");
  const TextList list = read_text_list(directory.write("t.txt", "abcab\n\nhgfe\nabca\n"));
  ThreadPool pool(2);
  TextsProgress progress;
  const oracle::GptWeights weights = small_models::gpt_weights();
  for (const SentencePooling how : every_pooling) {
    CAPTURE(name_of(how));
    const Similarity found = similarity(*opened, list, {{how}, 0}, &progress, Work{pool, {}});
    REQUIRE(found.cosine.shape() == Shape{3, 3});
    Rows vectors;
    for (const ModelTokens& tokens : tokens_of_list(*opened, list, {})) {
      const std::vector<int> ids(tokens.input.ids.begin(), tokens.input.ids.end());
      vectors.push_back(naive_pooled(oracle::run_gpt(weights, ids).normed, how));
    }
    double mean = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        const double cosine = naive_cosine(vectors[i], vectors[j]);
        CHECK(std::abs(found.cosine.data()[i * 3 + j] - cosine) < 1e-5);
        if (i == j) CHECK(found.cosine.data()[i * 3 + j] == 1);
        if (j < i) mean += cosine / 3;
      }
    CHECK(found.pairs.count() == 3);
    CHECK(std::abs(found.pairs.mean() - mean) < 1e-5);
    CHECK(found.tokens == std::vector<std::int64_t>{5, 4, 4});
  }
  CHECK(progress.done == 18);
}

TEST_CASE("cosines of texts to encoders, which padding does not change", "[readouts][similar]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  const TextList list =
      read_text_list(directory.write("t.txt", "the cat sat on the mat\na dog ran\nred car\n"));
  write_small_bert(directory / "bert");
  write_small_t5(directory / "t5");
  for (const char* name : {"bert", "t5"}) {
    const OpenedModelPtr opened = open_whole_model(directory / name);
    for (const SentencePooling how : every_pooling) {
      CAPTURE(name, name_of(how));
      const std::vector<SentencePooling> one{how};
      const Similarity found = similarity(*opened, list, {one, 0}, nullptr, work);
      Rows vectors;
      for (const ModelTokens& tokens : tokens_of_list(*opened, list, {})) {
        const ModelRun run = run_model(*opened->model, tokens.input, {}, work);
        vectors.push_back(naive_pooled(doubles_of(run.encoder.normed, 0, run.encoder.normed.rows()), how));
        ModelInput padded = tokens.input;
        padded.mask.assign(padded.ids.size(), 1);
        for (int i = 0; i < 3; ++i) {
          padded.ids.push_back(0);
          padded.mask.push_back(0);
          if (!padded.types.empty()) padded.types.push_back(0);
        }
        const ModelRun with_padding = run_model(*opened->model, padded, {}, work);
        check_close(sentence_embedding(*opened->model, with_padding, one), vectors.back(), 1e-4);
      }
      for (std::size_t i = 0; i < vectors.size(); ++i)
        for (std::size_t j = 0; j < vectors.size(); ++j)
          CHECK(std::abs(found.cosine.data()[i * 3 + j] - naive_cosine(vectors[i], vectors[j])) < 1e-9);
    }
  }
}

TEST_CASE("a text without a cosine is named, and what cannot be compared is refused", "[readouts][similar]") {
  const test::TemporaryDirectory directory;
  oracle::GptWeights weights = small_models::gpt_weights();
  weights.positions[4][3] = std::nan("");  // of the fifth token
  small_models::write_gpt(directory / "gpt", weights);
  const OpenedModelPtr opened = opened_models::with_letters(directory / "gpt");
  ThreadPool pool(2);
  const Work work{pool, {}};
  const auto list_of = [&](const std::string& lines) {
    return read_text_list(directory.write("t.txt", lines));
  };
  const Similarity found = similarity(*opened, list_of("abab\nabcab\nba\n"), {{Mean}, 0}, nullptr, work);
  REQUIRE(found.not_numbers.size() == 1);
  CHECK(found.not_numbers[0].line == 2);
  CHECK_THAT(found.not_numbers[0].sentence, ContainsSubstring("NaN"));
  for (int i = 0; i < 3; ++i) {
    CHECK(std::isnan(found.cosine.data()[3 + i]));
    CHECK(std::isnan(found.cosine.data()[3 * i + 1]));
  }
  CHECK(std::isfinite(found.cosine.data()[2]));
  CHECK(found.pairs.count() == 1);
  CHECK_THROWS_WITH(similarity(*opened, list_of("ab\n\n"), {{Mean}, 0}, nullptr, work),
                    ContainsSubstring("holds one text"));
  CHECK_THROWS_WITH(similarity(*opened, list_of("ab\nabcd\n"), {{Mean}, 3}, nullptr, work),
                    ContainsSubstring("Line 2 of") && ContainsSubstring("has 4 tokens") &&
                        ContainsSubstring("max_seq_length is 3"));
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(
      similarity(*opened, list_of("ab\nba\n"), {{Mean}, 0}, nullptr, Work{pool, stop.get_token()}),
      Cancelled);
}

TEST_CASE("modules.json says how a vector is made", "[models][similar]") {
  const test::TemporaryDirectory directory;
  const std::filesystem::path folder = directory / "m";
  CHECK_FALSE(read_sentence_modules(directory.path()));
  const std::vector<std::string> keys{
      "cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CAPTURE(keys[i]);
    std::string pooling = R"({"word_embedding_dimension": 16)";
    for (std::size_t k = 0; k < keys.size(); ++k)
      pooling += fmt::format(R"(, "pooling_mode_{}": {})", keys[k], k == i);
    write_modules(folder, pooling + R"(, "include_prompt": true})");
    const auto modules = read_sentence_modules(folder);
    REQUIRE(modules);
    CHECK(modules->pooling == std::vector<SentencePooling>{every_pooling[i]});
    CHECK(modules->model == folder);
    CHECK(modules->width == 16);
    CHECK_FALSE(modules->normalised);
    // The same as newer files have it.
    write_modules(folder, fmt::format(R"({{"embedding_dimension": 8, "pooling_mode": "{}"}})",
                                      name_of(every_pooling[i])));
    CHECK(read_sentence_modules(folder)->pooling == modules->pooling);
    CHECK(read_sentence_modules(folder)->width == 8);
  }
  write_modules(folder, R"({"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true})",
                R"(, {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"})");
  std::ofstream(folder / "sentence_bert_config.json") << R"({"max_seq_length": 256, "do_lower_case": false})";
  const auto modules = read_sentence_modules(folder);
  REQUIRE(modules);
  CHECK(modules->pooling == std::vector<SentencePooling>{First, Mean});
  CHECK(modules->normalised);
  CHECK(modules->most_tokens == 256);
  write_modules(folder, "{}");
  CHECK(read_sentence_modules(folder)->pooling == std::vector<SentencePooling>{Mean});
  std::ofstream(folder / "modules.json") << R"([
    {"path": "0_Transformer", "type": "sentence_transformers.base.modules.transformer.Transformer"},
    {"path": "1_Pooling", "type": "sentence_transformers.sentence_transformer.modules.pooling.Pooling"}])";
  CHECK(read_sentence_modules(folder)->model == folder / "0_Transformer");
}

TEST_CASE("modules that are not understood are refused by name", "[models][similar]") {
  const test::TemporaryDirectory directory;
  const std::filesystem::path folder = directory / "m";
  for (const std::string type : {"sentence_transformers.models.Dense", "sentence_transformers.models.CNN",
                                 "sentence_transformers.models.Pooling", "custom_st.Normalize"}) {
    CAPTURE(type);
    write_modules(folder, "{}", fmt::format(R"(, {{"path": "2_More", "type": "{}"}})", type));
    const std::string name = type.starts_with("custom") ? type : type.substr(type.rfind('.') + 1);
    const std::string refusal = refusal_of(folder);
    CHECK_THAT(refusal, ContainsSubstring("modules.json") &&
                            ContainsSubstring(fmt::format("the module \"{}\" is not understood", name)));
    CHECK(test::is_sentence(refusal));
  }
  const auto refuses = [&](const std::string& pooling, const std::string& expected) {
    write_modules(folder, pooling);
    CHECK_THAT(refusal_of(folder), ContainsSubstring("config.json") && ContainsSubstring(expected));
  };
  refuses(R"({"pooling_mode": "median"})", "pooling_mode is");
  refuses(R"({"pooling_mode": []})", "one or more of cls, max, mean");
  refuses(R"({"pooling_mode_median": true})", "pooling_mode_median");
  refuses(R"({"pooling_mode_cls_token": 1})", "true or false was expected");
  write_modules(folder, "{}");
  std::ofstream(folder / "sentence_bert_config.json") << R"({"do_lower_case": true})";
  CHECK_THAT(refusal_of(folder), ContainsSubstring("do_lower_case"));
  std::ofstream(folder / "sentence_bert_config.json") << "{}";
  std::ofstream(folder / "config_sentence_transformers.json")
      << R"({"prompts": {"query": "query: ", "plain": ""}, "default_prompt_name": "query"})";
  CHECK_THAT(refusal_of(folder), ContainsSubstring("default_prompt_name") && ContainsSubstring("\"query\""));
  std::ofstream(folder / "config_sentence_transformers.json")
      << R"({"prompts": {"query": "query: ", "plain": ""}, "default_prompt_name": "plain"})";
  CHECK(refusal_of(folder).empty());
  std::ofstream(folder / "modules.json")
      << R"([{"path": "../x", "type": "sentence_transformers.models.Transformer"}])";
  CHECK_THAT(refusal_of(folder), ContainsSubstring("a folder below"));
  std::ofstream(folder / "modules.json")
      << R"([{"path": "", "type": "sentence_transformers.models.Transformer"}])";
  CHECK_THAT(refusal_of(folder), ContainsSubstring("no module Pooling"));
  std::ofstream(folder / "modules.json") << "{}";
  CHECK_THAT(refusal_of(folder), ContainsSubstring("an array of modules"));
}

}  // namespace attnscope::similarity_test
