// Opened models: their facts, and how they tokenize a text.
#include "core/models/opened/opened_model.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/files/model/model_files.hpp"
#include "core/models/opened/file_facts.hpp"
#include "core/models/opened/first_text.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/opened_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::opened_model_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

const fs::path models = fs::path(ATTNSCOPE_SHARED) / "vectors/tiny_models";

ModelText with(const std::string& text) {
  ModelText made;
  made.text = text;
  return made;
}

/// The parts of the text that the tokens cover.
std::vector<std::string> parts_of(const Sequence& sequence) {
  std::vector<std::string> parts;
  for (const Token& token : sequence.tokens)
    if (token.begin >= 0)
      parts.push_back(sequence.text.substr(static_cast<std::size_t>(token.begin),
                                           static_cast<std::size_t>(token.end - token.begin)));
  return parts;
}

}  // namespace

TEST_CASE("a text becomes tokens with labels, ranges and numbers", "[models]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  ModelText text = with("abZca€");
  text.continued = {3, 0};
  const ModelTokens tokens = tokens_of(*model, text);
  CHECK(tokens.input.ids == std::vector<std::int64_t>{0, 1, 2, 0, 3, 0});
  CHECK(parts_of(tokens.tokens) == std::vector<std::string>{"a", "b", "c", "a"});
  CHECK(texts_of(tokens.tokens.tokens) == std::vector<std::string>{"a", "b", "c", "a", "d", "a"});
  CHECK(tokens.tokens.tokens[4].id == 3);
  CHECK(tokens.tokens.tokens[4].begin == -1);
  CHECK(tokens.untold == R"(The tokenizer has no token for "Z", "€": the model does not see it.)");
  CHECK(&tokens.queries_of(AttentionOf::Decoder) == &tokens.tokens);
  CHECK(&tokens.keys_of(AttentionOf::Decoder) == &tokens.tokens);
  CHECK_THROWS_WITH(tokens_of(*model, with("")), ContainsSubstring("There are no tokens"));
  CHECK_THROWS_WITH(tokens_of(*model, with("€€")), ContainsSubstring("There are no tokens"));
  CHECK_THROWS_WITH(tokens_of(*model, with(std::string(100, 'a'))), ContainsSubstring("has 100 tokens"));
  CHECK(token_label(*model, 2) == "c");
  CHECK(token_label(*model, 99'999) == "#99999");
  CHECK(token_label(*model, -1) == "#-1");
  CHECK(prediction_label(*model, 2) == "c");
  CHECK(model->heads_words() == "3 layers × 4 heads");
}

TEST_CASE("what is a model's path, and what it is called", "[models]") {
  const test::TemporaryDirectory directory;
  small_models::write_gpt(directory / "gpt", small_models::gpt_weights());
  std::ofstream(directory / "blob") << "GGUF\x03";
  std::ofstream(directory / "text.txt") << "GG";
  CHECK(is_model_path(directory / "gpt"));
  CHECK(is_model_path(directory / "blob"));
  CHECK(is_model_path(directory / "missing.gguf"));
  CHECK_FALSE(is_model_path(directory / "text.txt"));
  CHECK_FALSE(is_model_path(directory.path()));
  CHECK_FALSE(is_model_path(directory / "missing"));
  CHECK(folder_name("/a/SmolLM2-135M/") == "SmolLM2-135M");
  CHECK(folder_name("/a/hub/models--Org--Some-Model/snapshots/abc") == "Some-Model");
  CHECK(folder_name("/a/hub/models--gpt2/snapshots/" + std::string(40, 'a')) == "gpt2");
  CHECK(folder_name("/a/" + std::string(40, 'a')).empty());
  CHECK(folder_name("/a/model").empty());
}

TEST_CASE("the same files elsewhere are the same model, other weights another", "[models]") {
  const test::TemporaryDirectory directory;
  small_models::write_gpt(directory / "one", small_models::gpt_weights());
  oracle::GptWeights other = small_models::gpt_weights();
  other.tokens[0][0] += 1;
  small_models::write_gpt(directory / "two", other);
  fs::copy(directory / "one", directory / "three");
  const auto facts = [&](const char* name) {
    ModelFiles files(directory / name);
    return file_facts(*open_model(files), files);
  };
  const FileFacts one = facts("one");
  CHECK(one.name == "one");
  CHECK(one.storage == "float32");
  CHECK(one.bytes == fs::file_size(directory / "one/model.safetensors"));
  CHECK(one.fingerprint == facts("three").fingerprint);
  CHECK(one.fingerprint != facts("two").fingerprint);
}

TEST_CASE("each kind of model has a text to begin with", "[models]") {
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  Reading reading;
  const OpenedModelPtr gpt = open_whole_model(models / "gpt2", &reading);
  CHECK(reading.share() == 1);
  CHECK(first_text(*gpt).text == "When Mary and John went to the store, John gave a drink to");
  CHECK(parts_of(tokens_of(*gpt, first_text(*gpt)).tokens).size() > 10);

  const OpenedModelPtr bert = open_whole_model(models / "bert");
  CHECK(first_text(*bert).text == "The animal did not cross the street because it was too tired.");
  OpenedModel filling = *bert;  // the same tokenizer with a model that fills masks
  filling.model = open_model(fs::path(ATTNSCOPE_TESTS) / "goldens/models/bert_masked");
  const ModelText masked = first_text(filling);
  CHECK(masked.text == "Paris is the [MASK] of France.");
  const ModelTokens tokens = tokens_of(*bert, masked);
  CHECK(tokens.input.types.size() == tokens.input.ids.size());
  CHECK(tokens.tokens.tokens.front().special);
  CHECK(tokens.tokens.tokens.front().begin == -1);
  CHECK(std::ranges::count(tokens.input.ids, std::int64_t{bert->tokenizer->special_ids().mask}) == 1);
  ModelText pair = with("a b");
  pair.pair = "c";
  const ModelTokens two = tokens_of(*bert, pair);
  CHECK(two.input.types.back() == 1);
  CHECK(parts_of(two.tokens) == std::vector<std::string>{"a", "b"});

  const OpenedModelPtr t5 = open_whole_model(models / "t5");
  ModelText translated = first_text(*t5);
  CHECK(translated.text.starts_with("translate English to German"));
  CHECK(tokens_of(*t5, translated).input.decoder_ids.size() == 1);
  translated.continued = {7, 8};
  const ModelTokens both = tokens_of(*t5, translated);
  CHECK(both.input.decoder_ids == std::vector<std::int64_t>{*t5->model->spec.decoder_start, 7, 8});
  CHECK(&both.queries_of(AttentionOf::Cross) == &both.decoder_tokens);
  CHECK(&both.keys_of(AttentionOf::Cross) == &both.tokens);
  CHECK(&both.queries_of(AttentionOf::Encoder) == &both.tokens);
  CHECK(t5->heads_words() == "2 + 2 layers × 4 heads");

  const OpenedModelPtr vit = open_whole_model(models / "vit");
  CHECK(first_text(*vit).text.empty());
  CHECK_FALSE(vit->tokenizer);
  CHECK_THROWS_WITH(tokens_of(*vit, {}), ContainsSubstring("takes a picture, and none is chosen"));

  Reading stopped;
  std::stop_source stop;
  stop.request_stop();
  stopped.stop = stop.get_token();
  CHECK_THROWS_AS(open_whole_model(models / "gpt2", &stopped), Cancelled);
  CHECK_THROWS_AS(open_whole_model(models / "nothing"), Error);
}

}  // namespace attnscope::opened_model_test
