// Pairs of texts for patching: as many tokens in both, and answers that are single tokens.
#include "core/models/opened/text_pairs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/opened_models.hpp"
#include "support/letters_gpt.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::text_pairs_test {
namespace {

using Catch::Matchers::ContainsSubstring;

ModelText text_of(const std::string& words) {
  ModelText text;
  text.text = words;
  return text;
}

std::vector<std::int64_t> ids_of(const OpenedModel& opened, const std::string& text) {
  return tokens_of(opened, text_of(text)).input.ids;
}

}  // namespace

TEST_CASE("a corrupted text has as many tokens, with one word exchanged", "[models][pairs]") {
  const test::TemporaryDirectory directory;
  write_letters_gpt(directory / "letters");
  const OpenedModelPtr letters = open_whole_model(directory / "letters");
  // "ab" is one token, "cd" are two: a word is replaced by one with as many tokens.
  for (const std::string text : {"ab cd a b", "cd ab e", "a b"}) {
    CAPTURE(text);
    const std::string other = corrupted_like(*letters, text_of(text));
    REQUIRE_FALSE(other.empty());
    CHECK(ids_of(*letters, other) != ids_of(*letters, text));
    CHECK(ids_of(*letters, other).size() == ids_of(*letters, text).size());
  }
  CHECK(corrupted_like(*letters, text_of("ab cd")).empty());  // the words differ in their numbers of tokens
  CHECK(corrupted_like(*letters, text_of("ab")).empty());
  CHECK(corrupted_like(*letters, text_of("")).empty());

  const std::optional<TextPair> pair = first_pair(*letters);
  REQUIRE(pair);
  CHECK(ids_of(*letters, pair->clean).size() == ids_of(*letters, pair->corrupted).size());
  CHECK(ids_of(*letters, pair->clean) != ids_of(*letters, pair->corrupted));
}

TEST_CASE("a name that comes twice is exchanged for another name", "[models][pairs]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  // Capitals have no token in this vocabulary and vanish: the other letters decide.
  CHECK(corrupted_like(*model, text_of("Aaa Bab met Cac, Bab bab")) == "Aaa Bab met Cac, Cac bab");
}

TEST_CASE("an answer is one token, or a sentence says what it is", "[models][pairs]") {
  const test::TemporaryDirectory directory;
  write_letters_gpt(directory / "letters");
  const OpenedModelPtr letters = open_whole_model(directory / "letters");
  CHECK(answer_token(*letters, "ab").id == 5);
  CHECK(answer_token(*letters, "c").id == 2);
  CHECK(answer_token(*letters, " ").id == 6);
  CHECK_FALSE(answer_token(*letters, "cd").id);
  CHECK_THAT(answer_token(*letters, "cde").problem, ContainsSubstring("is 3 tokens (\"c d e\")"));
  CHECK_THAT(answer_token(*letters, "Q").problem, ContainsSubstring("no token for \"Q\""));
  CHECK_FALSE(answer_token(*letters, "").id);
  CHECK_FALSE(answer_token(*letters, "\xff").problem.empty());

  auto classes = std::make_shared<OpenedModel>(*letters);
  auto model = std::make_shared<Model>(*letters->model);
  model->spec.head.classes = {"negative", "positive"};
  classes->model = model;
  CHECK(answer_token(*classes, "Positive").id == 1);
  CHECK_THAT(answer_token(*classes, "neutral").problem, ContainsSubstring("no class \"neutral\""));
}

}  // namespace attnscope::text_pairs_test
