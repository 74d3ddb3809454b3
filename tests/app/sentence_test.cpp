// The screen described in sentences: on the command line and on the clipboard.
#include "app/exports/sentence.hpp"

#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/files_robot.hpp"
#include "app/model_robot.hpp"
#include "robot/robot.hpp"
#include "support/program.hpp"

namespace attnscope::sentence_test {

using namespace attnscope::test::commands;

namespace {

const std::string examples = ATTNSCOPE_ASSETS "/examples/";

std::string described_in(const TemporaryDirectory& directory, const std::string& arguments) {
  const Outcome outcome = run(directory, "describe " + arguments);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find('\n') == outcome.out.size() - 1);
  return outcome.out;
}

std::string described(const std::string& arguments) {
  return described_in(TemporaryDirectory(), "'" + examples + "'" + arguments);
}

void copy_from_palette(Robot& robot) {
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type("Copy as a sentence");
  robot.frame(2);
  robot.key(ImGuiKey_Enter);
  robot.settle();
}

std::string copied_sentence() {
  const char* const copied = ImGui::GetClipboardText();
  return copied != nullptr ? copied : "";
}

}  // namespace

TEST_CASE("a file is described with measures beside those of uniform attention", "[cli][sentence]") {
  const std::string said = described("2-three-tokens.json --at 2,0");
  CHECK_THAT(said, ContainsSubstring("Three tokens by hand: head 0 of 1; 3 queries, 3 keys."));
  CHECK_THAT(said, ContainsSubstring("nats (uniform attention 1.1)"));
  CHECK_THAT(said,
             ContainsSubstring("Head 0 looks from “c (2)” at “a (0)” with a weight of 0.503. Its row has"));
  CHECK_THAT(said, ContainsSubstring(" nats; uniform attention over the same keys has 1.10."));
  CHECK_THAT(said,
             ContainsSubstring("Query \"c\" (2) sees 3 keys, of which uniform attention gives each 0.333;"));
  CHECK_THAT(said, ContainsSubstring("Key \"a\" (0) receives 1.31 (uniform attention 1) from all queries."));
  CHECK_THAT(said, ContainsSubstring("Scores are divided by √dₖ; a query sees later keys too."));
}

TEST_CASE("a cell that the mask hides is said to be hidden", "[cli][sentence]") {
  const std::string said = described("7-with-and-without-the-scale.json --head 3 --at 0,2");
  CHECK_THAT(said, ContainsSubstring("In head 3, the mask hides “"));
  CHECK_THAT(said, ContainsSubstring("(0)”. Query \""));  // a row of one key: no entropy is given
}

TEST_CASE("of rows with one key, and of NaN, no mean is given in nats", "[cli][sentence]") {
  const TemporaryDirectory directory;
  directory.write("one.json", R"({"attnscope": 1, "text": ["cat"], "d_model": 64, "heads": 8})");
  const std::string one = described_in(directory, "one.json --head 1");
  CHECK_THAT(one, ContainsSubstring("1 query, 1 key. No query has a choice of keys, so the head has no mean "
                                    "entropy. Head 1 looks from “cat (0)” at “cat (0)” with a weight of 1."));
  CHECK_THAT(one, ContainsSubstring("Query \"cat\" (0) sees 1 key, which uniform attention gives 1; the "
                                    "largest weight is 1 on \"cat\" (0)."));
  CHECK_THAT(one, !ContainsSubstring("not measured"));
  directory.write("nan.json", R"({"attnscope": 1, "given": {"query": [[[[1, 0], ["NaN", 1]]]],
                                  "key": [[[[1, 1], [0, 1]]]], "value": [[[[2, 1], [1, 3]]]]}})");
  const Outcome outcome = run(directory, "describe nan.json --at 1,1");
  CHECK_THAT(outcome.err, ContainsSubstring("Q holds 1 NaN"));
  const std::string& nan = outcome.out;
  CHECK_THAT(nan, ContainsSubstring("the mean entropy is not measured (uniform attention 0.693)"));
  CHECK_THAT(nan, ContainsSubstring("with a weight of NaN."));
  CHECK_THAT(nan, ContainsSubstring("; there is NaN among its weights. What key 1 receives from all queries "
                                    "is NaN."));
}

TEST_CASE("a description says scale, mask, role and the chosen head", "[cli][sentence]") {
  const std::string said = described("7-with-and-without-the-scale.json --head 3");
  CHECK_THAT(said, ContainsSubstring("head 3 of 8, content, with 0.996 of its weight (uniform attention"));
  CHECK_THAT(said, ContainsSubstring("The division by √dₖ is off; no query sees a later key."));
}

TEST_CASE("a description says what the head's own mask shows, and that attention is linear",
          "[cli][sentence]") {
  const TemporaryDirectory directory;
  const auto said = [&](const std::string& settings, int head) {
    directory.write(
        "kept.json",
        R"({"attnscope": 1, "text": ["the cat sat on"], "heads": 2, "d_model": 16, )" + settings + "}");
    const Outcome outcome = run(directory, "describe kept.json --head " + std::to_string(head));
    CHECK(outcome.exit_code == 0);
    return outcome.out;
  };
  const std::string first = R"("mask": {"causal": true, "heads": [0]})";
  CHECK_THAT(said(first, 0), ContainsSubstring("divided by √dₖ; no query sees a later key."));
  CHECK_THAT(said(first, 1), ContainsSubstring("divided by √dₖ; a query sees later keys too."));
  CHECK_THAT(said(R"("mask": {"window": {"left": 1, "right": 0}})", 0),
             ContainsSubstring("; no query sees a later key."));
  CHECK_THAT(said(R"("linear": true, "temperature": 2)", 0),
             ContainsSubstring("Attention is linear, without softmax and division by √dₖ; a query sees later "
                               "keys too."));
}

TEST_CASE("a text that takes minutes is not described, and the limit is named", "[cli][sentence]") {
  const TemporaryDirectory directory;
  std::string words;
  for (int i = 0; i < 199'000; ++i) words += "a ";
  directory.write("text.txt", words);
  check_refusal(directory, "describe text.txt --backend cpu", 1,
                "317 billion scores, which take minutes; a description may have 82.");
}

TEST_CASE("what cannot be described is refused in a sentence", "[cli][sentence]") {
  const TemporaryDirectory directory;
  check_refusal(directory, "describe", 2, "FILE");
  check_refusal(directory, "describe none.json", 1, "none.json");
  check_refusal(directory, "describe '" + examples + "2-three-tokens.json' --head 9", 1, "no head 9");
  check_refusal(directory, "describe '" + examples + "2-three-tokens.json' --at 9,0", 1, "9");
}

TEST_CASE("what is on screen is copied as a sentence", "[sentence]") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  copy_from_palette(robot);
  CHECK(robot.app().message() == "Copied as a sentence.");
  CHECK_THAT(copied_sentence(), ContainsSubstring("head ") && ContainsSubstring("Query \"") &&
                                    ContainsSubstring("(uniform attention "));
}

TEST_CASE("the Model page copies the sentence of its chosen head, and stays", "[sentence][model]") {
  test::LettersRobot robot;
  REQUIRE(robot.app().view().mode == Mode::Model);
  robot.app().looking().look_at({.head = 2, .cell = Cell{3, 1}, .cells = {}});
  robot.settle();
  copy_from_palette(robot);
  CHECK(robot.app().message() == "Copied as a sentence.");
  CHECK(robot.app().view().mode == Mode::Model);
  CHECK(copied_sentence() ==
        sentences_of(robot.app().shown()->layer(), {.sequence = 0, .head = 2, .cell = Cell{3, 1}}));
  CHECK_THAT(copied_sentence(), ContainsSubstring("head 2 of "));
}

TEST_CASE("a page without a sentence says so, and stays", "[sentence]") {
  for (const ImGuiKey page : {ImGuiKey_F8, ImGuiKey_F9, ImGuiKey_F10}) {
    Robot robot({.width = 1600, .height = 1000});
    robot.settle();
    robot.key(page);
    robot.settle();
    const Mode mode = robot.app().view().mode;
    REQUIRE(is_page(mode));
    ImGui::SetClipboardText("before");
    copy_from_palette(robot);
    CHECK_THAT(robot.app().message(), ContainsSubstring("no sentence for what is on this page"));
    CHECK(robot.app().view().mode == mode);
    CHECK(copied_sentence() == "before");
  }
}

}  // namespace attnscope::sentence_test
