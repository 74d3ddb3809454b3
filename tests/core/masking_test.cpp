// Masking words of an encoder's text and putting them back: the text, the kept words, and the effect of
// edits.
#include "core/edits/masking.hpp"

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/edits/model.hpp"
#include "core/files/document/model_context_json.hpp"
#include "core/models/opened/first_text.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::masking_test {
namespace {

using Catch::Matchers::ContainsSubstring;

struct Encoder {
  test::TemporaryDirectory directory;
  OpenedModelPtr opened;
  explicit Encoder(const char* name = "bert_masked") {
    write_small_bert(directory / name, name);
    opened = open_whole_model(directory / name);
  }
  ModelContext reading(const std::string& text) const {
    ModelContext within;
    within.model = opened;
    within.of = AttentionOf::Encoder;
    within.input.text = text;
    return within;
  }
};

std::string word_at(const ModelContext& within, std::int64_t row) {
  const auto word = masked_word(within, tokens_of(*within.model, within.input), row);
  return word ? word->word : "none";
}

}  // namespace

TEST_CASE("a word goes behind the mask and comes back", "[masking]") {
  const Encoder encoder;
  const ModelContext before =
      encoder.reading("The cat sat on the mat.");  // [CLS] the cat sat on the mat . [SEP]
  const ModelContext masked = edit::toggled_mask(before, 2);
  CHECK(masked.input.text == "The [MASK] sat on the mat.");
  REQUIRE(masked.input.masked.size() == 1);
  CHECK(masked.input.masked[0] == MaskedWord{4, "cat", {12}});
  const ModelTokens tokens = tokens_of(*encoder.opened, masked.input);
  CHECK(tokens.input.ids == std::vector<std::int64_t>{2, 7, 4, 13, 14, 7, 15, 11, 3});
  CHECK(masked_token(masked, tokens, 2) == 12);
  CHECK_FALSE(masked_token(masked, tokens, 3));
  CHECK(edit::toggled_mask(masked, 2).input == before.input);
}

TEST_CASE("a word of several tokens is masked as a whole", "[masking]") {
  const Encoder encoder;
  const ModelContext before = encoder.reading("the unhappy cats jumped");  // un ##happy, cat ##s, jump ##ed
  const ModelContext masked = edit::toggled_mask(before, 3);
  CHECK(masked.input.text == "the [MASK][MASK] cats jumped");
  CHECK(masked.input.masked == std::vector<MaskedWord>{{4, "unhappy", {23, 24}}});
  const ModelTokens tokens = tokens_of(*encoder.opened, masked.input);
  CHECK(masked_token(masked, tokens, 2) == 23);
  CHECK(masked_token(masked, tokens, 3) == 24);
  CHECK(edit::toggled_mask(masked, 2).input == before.input);
  CHECK(edit::toggled_mask(masked, 3).input == before.input);
  const ModelContext two = edit::toggled_mask(masked, 6);  // jump
  CHECK(two.input.text == "the [MASK][MASK] cats [MASK][MASK]");
  CHECK(word_at(two, 3) == "unhappy");
  CHECK(word_at(two, 7) == "jumped");
  CHECK(edit::toggled_mask(two, 2).input.text == "the unhappy cats [MASK][MASK]");
  CHECK(word_at(edit::toggled_mask(two, 2), 6) == "jumped");
  CHECK(maskable_word(before, tokens_of(*encoder.opened, before.input), 3) == "unhappy");
}

TEST_CASE("typing leaves the masks that it does not touch", "[masking]") {
  const Encoder encoder;
  ModelContext masked = edit::toggled_mask(encoder.reading("the cat sat on the mat"), 2);
  masked = edit::toggled_mask(masked, 6);
  REQUIRE(masked.input.text == "the [MASK] sat on the [MASK]");
  const auto words = [&](const std::string& text) {
    std::string all;
    for (const MaskedWord& word : edit::text(masked, text).input.masked)
      all += word.word + "@" + std::to_string(word.at) + " ";
    return all;
  };
  CHECK(words("the [MASK] sat on the [MASK]") == "cat@4 mat@22 ");
  CHECK(words("the big [MASK] sat on the [MASK]") == "cat@8 mat@26 ");
  CHECK(words("the [MASK] was on the [MASK]") == "cat@4 mat@22 ");
  CHECK(words("the [MASK] on [MASK]") == "cat@4 mat@14 ");
  CHECK(words("the [MAS] sat on the [MASK]") == "mat@21 ");
  CHECK(words("the cat sat on the [MASK]") == "mat@19 ");
  CHECK(words("").empty());
}

TEST_CASE("what cannot be masked is refused in a sentence", "[masking]") {
  const Encoder encoder, other("bert_classify");
  const ModelContext within = encoder.reading("the [MASK] sat");
  CHECK_THROWS_WITH(edit::toggled_mask(within, 2), ContainsSubstring("was typed"));
  CHECK_THROWS_WITH(edit::toggled_mask(within, 0), ContainsSubstring("\"[CLS]\" is no word"));
  CHECK_THROWS_WITH(edit::toggled_mask(within, 9), ContainsSubstring("There is no token 9; the text has 5."));
  CHECK_THROWS_WITH(edit::toggled_mask(other.reading("the cat"), 1), ContainsSubstring("fills no masks"));
  CHECK_THROWS_AS(edit::toggled_mask(ModelContext{}, 0), Error);
  CHECK_FALSE(maskable_word(within, tokens_of(*encoder.opened, within.input), 0));
  // A wrong entry of a file is no masked word.
  ModelContext wrong = within;
  wrong.input.masked = {{4, "cat", {12, 13}}, {2, "x", {1}}, {400, "y", {1}}, {4, "z", {}}};
  CHECK(word_at(wrong, 2) == "none");
}

TEST_CASE("the first text is masked, with the word that was there", "[masking]") {
  const Encoder encoder;
  const ModelText first = first_text(*encoder.opened);
  CHECK(first.text == "Paris is the [MASK] of France.");
  CHECK(first.masked == std::vector<MaskedWord>{{13, "capital", {8}}});
  ModelContext within = encoder.reading("");
  within.input = first;
  CHECK(edit::toggled_mask(within, 4).input.text == "Paris is the capital of France.");
}

TEST_CASE("a file keeps masked words", "[masking]") {
  const Encoder encoder;
  ModelContext within = edit::toggled_mask(encoder.reading("the unhappy cat"), 2);
  within.path = "m";
  const nlohmann::json json = nlohmann::json::parse(model_context_json(within));
  CHECK(read_within(json, "file").input == within.input);
}

}  // namespace attnscope::masking_test
