// A model whose folder has no tokenizer: its text is a list of token ids.
#include "core/tokenizers/number_tokenizer.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/files/model/model_files.hpp"
#include "core/gguf_samples.hpp"
#include "core/models/opened/first_text.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/small_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::number_tokenizer_test {
namespace {

using Ids = std::vector<std::int64_t>;

ModelTokens read(const OpenedModel& opened, const std::string& words) {
  ModelText text;
  text.text = words;
  return tokens_of(opened, text);
}

bool brings_tokenizer(const std::filesystem::path& path) {
  ModelFiles files(path);
  return tokenizers::has_tokenizer(files);
}

}  // namespace

TEST_CASE("a model without a tokenizer reads the numbers of its tokens", "[models][tokenizers]") {
  const test::TemporaryDirectory directory;
  small_models::write_gpt(directory / "gpt", small_models::gpt_weights());
  const OpenedModelPtr opened = open_whole_model(directory / "gpt");
  REQUIRE(opened->reads_numbers);
  const ModelTokens whole = read(*opened, "3 17,\n5,22");
  CHECK(whole.input.ids == Ids{3, 17, 5, 22});
  CHECK(whole.untold.empty());
  REQUIRE(whole.tokens.tokens.size() == 4);
  CHECK(whole.tokens.tokens[1].text == "17");
  const ModelTokens some = read(*opened, "3 x 23 5");  // the last token is 22
  CHECK(some.input.ids == Ids{3, 5});
  CHECK(some.untold.find("\"x\"") != std::string::npos);
  CHECK(some.untold.find("\"23\"") != std::string::npos);
  const ModelTokens first = tokens_of(*opened, first_text(*opened));
  CHECK(first.input.ids.size() > 1);
  CHECK(first.untold.empty());
}

TEST_CASE("any file that a tokenizer is read from is one", "[tokenizers]") {
  const test::TemporaryDirectory directory;
  CHECK_FALSE(brings_tokenizer(directory.path()));
  for (const char* file : {"tokenizer.json", "vocab.json", "vocab.txt", "spiece.model", "tokenizer.model",
                           "sentencepiece.bpe.model"}) {
    INFO(file);
    std::ofstream(directory / file) << "";
    CHECK(brings_tokenizer(directory.path()));
    std::filesystem::remove(directory / file);
  }
  std::ofstream(directory / "tokenizer_config.json") << "{}";
  CHECK_FALSE(brings_tokenizer(directory.path()));
  std::filesystem::create_symlink(directory / "nowhere", directory / "tokenizer.json");
  CHECK(brings_tokenizer(directory.path()));  // an error only when it is read
}

TEST_CASE("a GGUF says whether it brings a tokenizer", "[tokenizers]") {
  using namespace gguf_samples;
  const test::TemporaryDirectory directory;
  const auto has = [&](const std::string& kind) {
    GgufSample sample;
    if (!kind.empty()) sample.value("tokenizer.ggml.model", STRING, text(kind));
    return brings_tokenizer(directory.write("a.gguf", sample.head()));
  };
  CHECK(has("gpt2"));
  CHECK(has("llama"));
  CHECK_FALSE(has("no_vocab"));
  CHECK_FALSE(has("none"));
  CHECK_FALSE(has(""));
}

}  // namespace attnscope::number_tokenizer_test
