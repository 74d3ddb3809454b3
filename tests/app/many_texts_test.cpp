// The texts of a file in the window: scores of the heads over all of them and cosines of each two, in the
// background, with a way to stop.
#include "app/results/many_texts.hpp"

#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/files_robot.hpp"
#include "app/model_robot.hpp"
#include "app/views/controls/column.hpp"
#include "support/small_folders.hpp"

namespace attnscope::many_texts_test {
namespace {

using namespace attnscope::test;
using Catch::Matchers::ContainsSubstring;

void open_texts_card(Robot& robot) {
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type("Scores and similarity over a file of texts");
  robot.frame(2);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  robot.frame(3);
  REQUIRE(robot.has("Measure"));
}

const ManyTextsState& many(Robot& robot) { return model_state_of(robot.app().view()).many; }

/// Whether one of the next frames draws this text.
bool is_said(Robot& robot, std::string_view key) {
  bool told = false;
  robot.app().words().watch = [&](std::string_view said, bool) { told = told || said == key; };
  robot.app().words().speak_english();  // makes texts that were drawn before be reported again
  robot.frame(2);
  robot.app().words().watch = nullptr;
  return told;
}

void check_same_spread(const MeasureSpread& found, const MeasureSpread& expected) {
  CHECK(found.values.count() == expected.values.count());
  CHECK(found.without == expected.without);
  if (expected.values.count() > 0) CHECK(found.values.mean() == expected.values.mean());
  if (expected.values.count() > 1) CHECK(found.values.deviation() == expected.values.deviation());
}

}  // namespace

TEST_CASE("the card of many texts says that they have special tokens where the sentence has none",
          "[model][texts]") {
  const TemporaryDirectory directory;
  write_small_bert(directory / "bert_masked", "bert_masked");
  RobotOptions options{.width = 1600, .height = 1000};
  options.file = directory / "bert_masked";
  Robot robot(options);
  robot.settle();
  open_texts_card(robot);
  CHECK_FALSE(is_said(robot, "with special tokens"));
  robot.key(ImGuiKey_Escape);
  robot.settle();
  constexpr auto text = static_cast<std::size_t>(Section::Text) - static_cast<std::size_t>(Section::Model);
  model_state_of(robot.app().view()).fold[text] = 1;
  robot.frame(3);
  robot.click("Special tokens");
  robot.settle();
  REQUIRE_FALSE(model_within(robot).input.special);
  open_texts_card(robot);
  CHECK(is_said(robot, "with special tokens"));
}

TEST_CASE("scores and cosines over the texts of a file are those of the core", "[model][texts]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  const auto file = directory.write("t.txt", "ab cd a b\n\nab ab ab\nc d c d\n");
  open_texts_card(robot);
  CHECK(is_said(robot, "Mean and standard deviation of every head's scores over the texts."));
  robot.retype("##Texts file", file.native());
  click(robot, "Measure");
  REQUIRE(many(robot).texts);
  const ManyTextsReading* reading = many(robot).texts->reading();
  REQUIRE(reading != nullptr);
  ThreadPool pool(1);
  const Work work{pool, {}};
  const OpenedModel& model = *model_within(robot).model;
  const TextList list = read_text_list(file);
  const HeadSpreads expected = head_spreads(model, list, {}, nullptr, work);
  REQUIRE(reading->heads.heads.size() == expected.heads.size());
  for (std::size_t i = 0; i < expected.heads.size(); ++i)
    for (const TextMeasure measure : {TextMeasure::Previous, TextMeasure::Induction, TextMeasure::Entropy})
      check_same_spread(reading->heads.heads[i].at(measure), expected.heads[i].at(measure));
  CHECK(is_said(robot, "deviation"));
  // The largest mean comes first; a click on a head sorts by another number, and the list scrolls to the
  // last.
  const auto row_of = [&](const char* name) { return robot.centre(std::string("spread of ") + name).y; };
  click(robot, "sort by head");
  CHECK_FALSE(robot.has("spread of 2.3"));  // eight of twelve are in sight
  CHECK(row_of("0.0") < row_of("0.1"));
  CHECK(row_of("0.1") < row_of("1.0"));
  robot.right_click(robot.centre("sort by head"));
  robot.frame(2);
  click(robot, "Copy the table");
  CHECK_THAT(ImGui::GetClipboardText(), ContainsSubstring("\n2.3\t"));
  CHECK(is_said(robot, "Empty lines that are left out: {}."));
  click(robot, "##Many score: first");
  CHECK(many(robot).score == 3);

  click(robot, "##Many what: Similarity");
  CHECK(is_said(robot, "The cosine of each two texts' vectors."));
  click(robot, "Measure");
  reading = many(robot).texts->reading();
  REQUIRE(reading != nullptr);
  const Similarity alike = similarity(model, list, {{SentencePooling::Last}, 0}, nullptr, work);
  CHECK(reading->similar.cosine.matrix() == alike.cosine.matrix());
  CHECK(is_said(robot, "Pooled by {}: no modules.json says how."));
  CHECK(is_said(robot, "All {} pairs: mean {}, deviation {}, least {}, largest {}."));
  click(robot, "Close");
  CHECK_FALSE(robot.has("Measure"));
  open_texts_card(robot);  // the results so far stay
  CHECK(is_said(robot, "Pooled by {}: no modules.json says how."));
}

TEST_CASE("effects of heads over texts and patching over pairs are those of the core", "[model][texts]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  const auto file = directory.write("t.txt", "ab cd a b\nab ab ab\nc d c d\n");
  const auto pairs = directory.write("p.txt", "ab c d\tab d c\nc d c\tc d d\n");
  ThreadPool pool(1);
  const Work work{pool, {}};
  const OpenedModel& model = *model_within(robot).model;
  open_texts_card(robot);
  click(robot, "##Many what: Effects");
  CHECK(is_said(robot, "Mean and standard deviation over the texts of what zeroing each head does."));
  robot.retype("##Texts file", file.native());
  click(robot, "Measure");
  REQUIRE(many(robot).texts);
  const ManyTextsReading* reading = many(robot).texts->reading();
  REQUIRE(reading != nullptr);
  const HeadSpreads effects =
      head_spreads(model, read_text_list(file), {.effects = AblationRequest{}}, nullptr, work);
  REQUIRE(reading->heads.heads.size() == effects.heads.size());
  for (std::size_t i = 0; i < effects.heads.size(); ++i)
    for (const TextMeasure measure : {TextMeasure::TopLogit, TextMeasure::Divergence})
      check_same_spread(reading->heads.heads[i].at(measure), effects.heads[i].at(measure));
  CHECK(is_said(robot, "least"));
  CHECK(is_said(robot, "texts"));
  CHECK_FALSE(is_said(robot, "uniform"));
  click(robot, "##Many effect: KL");
  CHECK(many(robot).effect == 1);

  click(robot, "##Many what: Patching");
  CHECK(is_said(robot, "Mean and standard deviation over pairs of texts of what each head brings back."));
  robot.retype("##Texts file", pairs.native());
  click(robot, "Measure");
  reading = many(robot).texts->reading();
  REQUIRE(reading != nullptr);
  const PatchSpreads patching = patch_spreads(model, read_pair_list(pairs), {}, nullptr, work);
  REQUIRE(reading->patching.heads.size() == patching.heads.size());
  REQUIRE(patching.measured.size() == patch_measure_count);
  for (std::size_t i = 0; i < patching.heads.size(); ++i)
    for (const PatchMeasure measure : patching.measured)
      check_same_spread(reading->patching.heads[i].at(measure), patching.heads[i].at(measure));
  CHECK(is_said(robot, "pairs"));
  CHECK(is_said(robot, "The logit of the answer less that of the other: clean {} ± {}, corrupted {} ± {}."));
  click(robot, "##Many patch: estimate");
  CHECK(many(robot).patched == 2);
  click(robot, "##Many what: Effects");  // measured again: the old results are of the pairs
  CHECK(is_said(robot, "Mean and standard deviation over the texts of what zeroing each head does."));
}

TEST_CASE("what was measured of a model does not stand in the card of another", "[model][texts]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  const auto file = directory.write("t.txt", "ab cd a b\nc d c d\n");
  open_texts_card(robot);
  robot.retype("##Texts file", file.native());
  click(robot, "Measure");
  CHECK(is_said(robot, "deviation"));
  CHECK(is_said(robot, "without changes"));
  click(robot, "Close");
  write_letters_gpt(directory / "other", 3, 32);
  robot.app().files().opening.open(directory / "other");
  robot.settle();
  open_texts_card(robot);
  CHECK_FALSE(is_said(robot, "deviation"));
  CHECK(is_said(robot, "Mean and standard deviation of every head's scores over the texts."));
}

TEST_CASE("an encoder's texts are pooled by their mean", "[model][texts]") {
  const TemporaryDirectory directory;
  write_small_bert(directory / "bert");
  RobotOptions options;
  options.width = 1280;
  options.height = 720;
  options.file = directory / "bert";
  Robot robot(options);
  robot.settle();
  const auto file = directory.write("t.txt", "the cat sat on the mat\na dog ran\na red car\n");
  open_texts_card(robot);
  click(robot, "##Many what: Similarity");
  robot.retype("##Texts file", file.native());
  robot.key(ImGuiKey_Enter);
  robot.settle();
  REQUIRE(many(robot).texts);
  const ManyTextsReading* const reading = many(robot).texts->reading();
  REQUIRE(reading != nullptr);
  ThreadPool pool(1);
  const Similarity alike = similarity(*model_within(robot).model, read_text_list(file),
                                      {{SentencePooling::Mean}, 0}, nullptr, Work{pool, {}});
  CHECK(reading->similar.cosine.matrix() == alike.cosine.matrix());
  CHECK_FALSE(reading->pooled_by_folder);
}

TEST_CASE("what is wrong with a file of texts is said in the language of the window", "[model][texts]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  open_texts_card(robot);
  click(robot, "##Many what: Similarity");
  const auto is_translated = [&](const std::filesystem::path& file, std::string_view key) {
    robot.retype("##Texts file", file.native());
    click(robot, "Measure");
    REQUIRE(is_said(robot, key));
    bool known = false;
    robot.app().words().watch = [&](std::string_view said, bool is_known) {
      known = known || (said == key && is_known);
    };
    robot.app().view().language = "de";
    robot.frame(4);
    robot.app().words().watch = nullptr;
    robot.app().view().language = "en";
    robot.frame(4);
    return known;
  };
  CHECK(is_translated(directory.write("one.txt", "ab cd\n"),
                      "\"{}\" holds one text; at least two can be compared."));
  CHECK(is_translated(directory.write("zero.txt", std::string_view("ab\nc\0d\n", 7)),
                      "Line {} of \"{}\" is no text: its byte {} is {}."));
  CHECK(is_translated(directory.write("bytes.txt", "ab\nc\xe4 d\n"),
                      "Line {} of \"{}\" is not valid UTF-{}: its byte {} ({}) does not belong to a "
                      "character."));
  const auto long_text = directory.write("long.txt", "ab cd\n" + std::string(200, 'c') + "\n");
  CHECK(is_translated(long_text, "Line {} of \"{}\": {}"));
  // The reason after the line is a text within a text: it is looked up if the text around it is known.
  const auto is_translated_within = [&](const std::filesystem::path& path, std::string_view key) {
    robot.retype("##Texts file", path.native());
    click(robot, "Measure");
    bool known = false;
    robot.app().words().watch = [&](std::string_view said, bool is_known) {
      known = known || (said == key && is_known);
    };
    robot.app().view().language = "de";
    robot.frame(4);
    robot.app().words().watch = nullptr;
    robot.app().view().language = "en";
    robot.frame(4);
    return known;
  };
  CHECK(is_translated_within(long_text, "The text has {} tokens; {} has positions for {}."));
  click(robot, "##Many what: Patching");
  CHECK(is_translated_within(directory.write("no_tab.txt", "ab cd\n"),
                             "There is no tab in it; expected are a clean text and a corrupted one with a "
                             "tab between them."));
  CHECK(is_translated_within(
      directory.write("same.txt", "ab\tab\n"),
      "Both texts are the same tokens, so nothing is corrupted that could be brought back."));
  CHECK(is_translated_within(directory.write("half.txt", "\tab\n"), "The clean text is empty."));
}

TEST_CASE("many texts are stopped by a press, and a file that cannot be read is said", "[model][texts]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  std::string lines;
  for (int i = 0; i < 50'000; ++i) lines += "ab cd a b ab cd a b\n";
  const auto file = directory.write("long.txt", lines);
  open_texts_card(robot);
  robot.retype("##Texts file", (directory / "none.txt").native());
  click(robot, "Measure");
  CHECK(many(robot).texts->reading() == nullptr);
  CHECK_THAT(many(robot).texts->problem(), ContainsSubstring("none.txt"));
  CHECK(is_said(robot, "Cannot read \"{}\": No such file or directory."));

  robot.retype("##Texts file", file.native());
  robot.click("Measure");
  robot.frame();
  REQUIRE(robot.has("texts: Cancel"));  // frames go on while it runs
  CHECK_FALSE(robot.app().settled());
  robot.click("texts: Cancel");
  robot.settle();
  CHECK(many(robot).texts->problem() == "Stopped.");
  CHECK(robot.has("Measure"));
}

}  // namespace attnscope::many_texts_test
