// The controls of how a model's text becomes tokens: a pair, special tokens, token ids.
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/session/session.hpp"
#include "app/views/controls/column.hpp"
#include "core/engine/model/model_reading.hpp"
#include "robot/layout.hpp"
#include "support/small_folders.hpp"

namespace attnscope::text_section_test {
namespace {

using test::TemporaryDirectory;

/// The section is unfolded.
Robot with_bert(const TemporaryDirectory& directory) {
  write_small_bert(directory / "bert_masked", "bert_masked");
  RobotOptions options;
  options.width = 1600;
  options.height = 1000;
  options.file = directory / "bert_masked";
  return Robot(options);
}

/// The model of letters without the files of its tokenizer: it reads token ids.
RobotOptions with_numbers_alone(const TemporaryDirectory& directory) {
  RobotOptions options = test::with_letters(directory);
  for (const char* file : {"vocab.json", "merges.txt"})
    REQUIRE(std::filesystem::remove(directory / "letters" / file));
  return options;
}

void open_section(Robot& robot) {
  robot.settle();
  constexpr auto text = static_cast<std::size_t>(Section::Text) - static_cast<std::size_t>(Section::Model);
  model_state_of(robot.app().view()).fold[text] = 1;
  robot.frame(3);
}

const ModelTokens& tokens(Robot& robot) { return *robot.app().model()->tokens; }
const ModelText& input(const Robot& robot) { return robot.document().within.read().input; }

std::string labels(Robot& robot) {
  std::string all;
  for (const Token& token : tokens(robot).tokens.tokens) all += (all.empty() ? "" : " ") + token.text;
  return all;
}

}  // namespace

TEST_CASE("an encoder reads a pair, and without it one text") {
  const TemporaryDirectory directory;
  Robot robot = with_bert(directory);
  open_section(robot);
  test::type_text(robot, "the cat sat");
  CHECK(labels(robot) == "[CLS] the cat sat [SEP]");
  robot.click("Second text");
  robot.settle();
  REQUIRE(input(robot).pair == "");
  robot.retype("##Text 2", "the mat");
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK(labels(robot) == "[CLS] the cat sat [SEP] the mat [SEP]");
  CHECK(tokens(robot).input.types == std::vector<std::int64_t>{0, 0, 0, 0, 0, 1, 1, 1});
  robot.click("Second text");
  robot.settle();
  CHECK(labels(robot) == "[CLS] the cat sat [SEP]");
}

TEST_CASE("special tokens go and come back, and a session keeps that they are gone") {
  const TemporaryDirectory directory;
  Robot robot = with_bert(directory);
  open_section(robot);
  test::type_text(robot, "the cat sat");
  robot.click("Special tokens");
  robot.settle();
  CHECK(labels(robot) == "the cat sat");
  robot.app().files().saving.save(directory / "s.json", true);
  robot.settle();
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(labels(robot) == "[CLS] the cat sat [SEP]");
  robot.app().files().opening.open(directory / "s.json");
  robot.settle();
  CHECK_FALSE(input(robot).special);
  CHECK(labels(robot) == "the cat sat");
}

TEST_CASE("a decoder's beginning of the sequence goes and comes back") {
  const TemporaryDirectory directory;
  const RobotOptions options = with_numbers_alone(directory);
  directory.write("letters/tokenizer.json", R"({"version": "1.0",
    "added_tokens": [{"id": 7, "content": "<s>", "special": true}],
    "normalizer": null, "pre_tokenizer": null, "decoder": null,
    "post_processor": {"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
      "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
      "special_tokens": {"<s>": {"id": "<s>", "ids": [7], "tokens": ["<s>"]}}},
    "model": {"type": "BPE", "merges": ["a b"],
      "vocab": {"a": 0, "b": 1, "c": 2, "d": 3, "e": 4, "ab": 5, " ": 6, "<s>": 7}}})");
  Robot robot(options);
  open_section(robot);
  test::type_text(robot, "ab c");
  const std::vector<std::int64_t> with{7, 5, 6, 2}, without{5, 6, 2};
  CHECK(tokens(robot).input.ids == with);
  CHECK_FALSE(robot.has("Second text"));  // only encoders read a pair
  for (const bool on : {false, true}) {
    robot.click("Special tokens");
    robot.settle();
    CHECK(tokens(robot).input.ids == (on ? with : without));
  }
}

TEST_CASE("of tokens given as numbers the switches of a text are grey and say why") {
  const TemporaryDirectory directory;
  Robot robot = with_bert(directory);
  open_section(robot);
  test::type_text(robot, "the cat sat");
  REQUIRE(tokens(robot).input.ids.size() == 5);
  const std::string special_why = "The tokens are given as numbers, and nothing is put around them.";
  const std::string pair_why = "The tokens are given as numbers, and a second text follows only a typed one.";
  CHECK_FALSE(test::told_at(robot, "Special tokens").contains(special_why));
  CHECK_FALSE(test::told_at(robot, "Second text").contains(pair_why));
  robot.retype("##Token ids", "7 12 13");
  robot.key(ImGuiKey_Escape);
  robot.settle();
  const std::vector<std::int64_t> ids{7, 12, 13};
  REQUIRE(input(robot).ids == ids);
  CHECK(test::told_at(robot, "Special tokens").contains(special_why));
  CHECK(test::told_at(robot, "Second text").contains(pair_why));
  for (const char* label : {"Special tokens", "Second text"}) {
    robot.click(label);
    robot.settle();
    CHECK(input(robot).special);
    CHECK_FALSE(input(robot).pair);
    CHECK(input(robot).ids == ids);
  }
  test::type_text(robot, "the cat");
  REQUIRE(labels(robot) == "[CLS] the cat [SEP]");
  robot.click("Special tokens");
  robot.settle();
  CHECK(labels(robot) == "the cat");
}

TEST_CASE("a text is what a user says in a chat, and its template's tokens stand around it") {
  const TemporaryDirectory directory;
  const RobotOptions options = test::with_letters(directory);
  directory.write(
      "letters/tokenizer_config.json",
      R"({"chat_template": "<|endoftext|>c{% for m in messages %}{{ m.content | trim }}{% endfor %}d"})");
  Robot robot(options);
  open_section(robot);
  test::type_text(robot, "ab e");
  const std::vector<std::int64_t> plain = tokens(robot).input.ids;
  REQUIRE(plain.size() == 3);
  CHECK(collisions(texts_of(robot)).empty());  // the rows of the section stand below each other
  robot.click("As a chat");
  robot.settle();
  std::vector<std::int64_t> chat{7, 2};  // <|endoftext|>, c
  chat.insert(chat.end(), plain.begin(), plain.end());
  chat.push_back(3);  // d
  REQUIRE(tokens(robot).input.ids == chat);
  CHECK(input(robot).text == "ab e");
  const std::vector<Token>& shown = tokens(robot).tokens.tokens;
  CHECK(shown[0].special);
  CHECK(shown[0].begin == -1);
  CHECK(shown[1].begin == -1);
  CHECK(shown[2].begin == 0);
  CHECK(shown[4].end == 4);
  CHECK(shown[5].begin == -1);

  robot.app().files().saving.save(directory / "s.json", true);
  robot.settle();
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK_FALSE(input(robot).chat_day);
  CHECK(tokens(robot).input.ids == plain);
  robot.app().files().opening.open(directory / "s.json");
  robot.settle();
  CHECK(input(robot).chat_day);
  CHECK(tokens(robot).input.ids == chat);
  open_section(robot);
  robot.click("As a chat");
  robot.settle();
  CHECK(tokens(robot).input.ids == plain);
}

TEST_CASE("a model without a chat template says so") {
  const TemporaryDirectory directory;
  Robot robot(test::with_letters(directory));
  open_section(robot);
  test::type_text(robot, "ab c");
  CHECK(test::told_at(robot, "As a chat")
            .contains("No chat template that can be read lies with this model: chat_template.jinja, "
                      "tokenizer_config.json or the metadata of a GGUF file would have it."));
  robot.click("As a chat");
  robot.settle();
  CHECK_FALSE(input(robot).chat_day);
}

TEST_CASE("the section is found by what people call it") {
  const TemporaryDirectory directory;
  Robot robot = with_bert(directory);
  robot.settle();
  REQUIRE_FALSE(robot.has("##Token ids"));
  REQUIRE_FALSE(robot.has("Second text"));
  for (const auto& [typed, found] :
       {std::pair{"pair", "Second text"}, std::pair{"input_ids", "Numbers of the tokens"}}) {
    INFO(typed);
    robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
    robot.frame(3);
    robot.type(typed);
    robot.frame(2);
    CHECK(robot.has(found));
    robot.key(ImGuiKey_Escape);
    robot.frame(2);
  }
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type("bos");
  robot.frame(2);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(robot.has("##Token ids"));
}

TEST_CASE("numbers of tokens stand in the place of a text") {
  const TemporaryDirectory directory;
  Robot robot(test::with_letters(directory));
  open_section(robot);
  test::type_text(robot, "ab c");
  const std::vector<std::int64_t> ids = tokens(robot).input.ids;
  REQUIRE(ids.size() == 3);
  std::string reversed;
  for (std::size_t i = ids.size(); i-- > 0;) reversed += std::to_string(ids[i]) + ", ";
  robot.retype("##Token ids", reversed);
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK(tokens(robot).input.ids == std::vector<std::int64_t>(ids.rbegin(), ids.rend()));
  CHECK(input(robot).text.empty());

  robot.retype("##Token ids", "0 99999");
  bool told = false;
  robot.app().words().watch = [&](std::string_view key, bool) {
    told = told || key.starts_with("Found \"{}\" among the tokens' numbers, which");
  };
  robot.frame(2);
  robot.app().words().watch = nullptr;
  CHECK(told);
  CHECK(input(robot).ids == std::vector<std::int64_t>(ids.rbegin(), ids.rend()));
  robot.key(ImGuiKey_Escape);
  robot.settle();
  robot.retype("##Text", "ab c");
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK(tokens(robot).input.ids == ids);
  CHECK(input(robot).ids.empty());
}

TEST_CASE("a model without a tokenizer opens, and its text is the numbers of its tokens") {
  const TemporaryDirectory directory;
  const RobotOptions options = with_numbers_alone(directory);
  Robot robot(options);
  robot.settle();
  REQUIRE(robot.document().within.read());
  CHECK(robot.app().message().find("has no tokenizer: its text is the numbers of its tokens.") !=
        std::string::npos);
  test::type_text(robot, "3 1 2");
  const std::vector<std::int64_t> ids{3, 1, 2};
  CHECK(tokens(robot).input.ids == ids);
  CHECK(labels(robot) == "3 1 2");
  robot.app().files().saving.save(directory / "s.json", true);
  robot.settle();
  test::type_text(robot, "5 5");
  REQUIRE(tokens(robot).input.ids == std::vector<std::int64_t>{5, 5});
  robot.app().files().opening.open(directory / "s.json");
  robot.settle();
  CHECK(tokens(robot).input.ids == ids);
}

TEST_CASE("what is typed after a second text was switched on is that text") {
  const TemporaryDirectory directory;
  Robot robot = with_bert(directory);
  open_section(robot);
  test::type_text(robot, "the cat sat");
  robot.click("Second text");
  robot.frame(6);
  robot.type("the mat");
  robot.settle();
  CHECK(input(robot).text == "the cat sat");
  CHECK(input(robot).pair == "the mat");
  robot.retype("##Text 2", "");
  CHECK(test::keys_drawn(robot).contains("Type a second sentence"));
}

TEST_CASE("a text without any number is refused by a model that reads numbers, and its picture looks old") {
  const TemporaryDirectory directory;
  const RobotOptions options = with_numbers_alone(directory);
  Robot robot(options);
  robot.settle();
  test::type_text(robot, "3 1 2");
  robot.app().files().opening.open(directory.write("words.txt", "a word"));
  robot.settle();
  CHECK(robot.app().message().find("no list of token numbers") != std::string::npos);
  test::type_text(robot, "3 1 2");
  robot.click("##Text");
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.type("a");
  robot.frame(3);
  REQUIRE(test::model_state(robot).stale_since);
  CHECK(robot.app().changes_in());  // else no frame would show that the picture is old
}

TEST_CASE("a text with characters that have no token says which of them the model does not see") {
  test::LettersRobot robot;
  open_section(robot);
  CHECK_FALSE(shows(robot, "characters left out"));
  test::type_text(robot, "ab Zc");
  CHECK(tokens(robot).input.ids == std::vector<std::int64_t>{5, 6, 2});
  CHECK(shows(robot, "characters left out"));
  CHECK(shows(robot, "The tokenizer has no"));  // the first line of the sentence that names them
  test::type_text(robot, "ab c");
  CHECK_FALSE(shows(robot, "characters left out"));
}

TEST_CASE("a file that the model cannot read is not said to be read") {
  test::LettersRobot robot;
  const TemporaryDirectory directory;
  std::string longer;
  for (int i = 0; i < 100; ++i) longer += "ab c ";
  robot.app().files().opening.open(directory.write("long.txt", longer));
  robot.frame(2);
  CHECK(robot.app().message().find("the model reads now") == std::string::npos);
  robot.settle();
  CHECK(robot.app().message().find("has positions for") != std::string::npos);
}

}  // namespace attnscope::text_section_test
