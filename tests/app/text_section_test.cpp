// How a text becomes tokens, as a person says it in the column of a model: a pair, special tokens, numbers.
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/model_robot.hpp"
#include "app/session/session.hpp"
#include "app/state/model_state.hpp"
#include "app/views/controls/column.hpp"
#include "core/engine/model/model_reading.hpp"
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

void open_section(Robot& robot) {
  robot.settle();
  robot.app()
      .view()
      .model->fold[static_cast<std::size_t>(Section::Text) - static_cast<std::size_t>(Section::Model)] = 1;
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
  robot.app().save(directory / "s.json", true);
  robot.settle();
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(labels(robot) == "[CLS] the cat sat [SEP]");
  robot.app().open(directory / "s.json");
  robot.settle();
  CHECK_FALSE(input(robot).special);
  CHECK(labels(robot) == "the cat sat");
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

TEST_CASE("the section is found by what people call it") {
  const TemporaryDirectory directory;
  Robot robot = with_bert(directory);
  robot.settle();
  REQUIRE_FALSE(robot.has("##Token ids"));
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

}  // namespace attnscope::text_section_test
