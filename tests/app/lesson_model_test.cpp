// Lessons that play with a model: its numbers compared with the core's, steps forward and exactly back, tasks
// by mouse, and the page without the model.
#include "app/lessons/lesson_model.hpp"

#include <cmath>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/lesson_robot.hpp"
#include "app/lessons/model_numbers.hpp"
#include "app/model_robot.hpp"
#include "core/base/error.hpp"
#include "core/readouts/ablations.hpp"
#include "core/readouts/text/prediction.hpp"
#include "core/tokenizers/tokenizer.hpp"
#include "support/program.hpp"

namespace attnscope::lesson_model_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using lessons::Expression;
using test::Player;
using test::TemporaryDirectory;

const std::string letters_lesson = R"x(---
lesson: Letters
number: 90
minutes: 5
model: ./letters
---
```start
{"model": {"text": "ab ba ab"}}
```
# One
## First
There are {layers:d} layers; the likeliest token has {logit("a"):.3f}.
```look
head: 1.2
cell: 4, 2
show: text, mute, head
```
```ask choose
How many heads?
- 7
* {all_heads:d}
```
## Second
```set
{"model": {"heads": [{"of": "decoder", "block": 0, "head": 1, "kind": "zero"}]}}
```
The divergence is {divergence():.4f}, its effect {effect(0, 1):.4f}.
```look
head: 0.1
cell: 3, 1
colour: effect
```
# Two
## Third
```set
{"model": {"text": "ba ab", "heads": null}}
```
The first token gets {head_first(2, 0):.3f}.
```look
head: 2.0
cell: 3, 0
show: text, mute, scaling
colour: first
```
```done
divergence() > 0
Mute the head.
by: {"model": {"heads": [{"of": "decoder", "block": 2, "head": 0, "kind": "zero"}]}}
```
)x";

struct Letters {
  TemporaryDirectory directory;
  std::filesystem::path file;
  explicit Letters(const std::string& text = letters_lesson, bool with_model = true) {
    if (with_model) write_letters_gpt(directory / "letters", 3, 16);
    file = directory / "mine.md";
    std::ofstream(file) << text;
  }
};

double number(Player& player, std::string_view text, const ModelReading& reading) {
  const lessons::LookUp layer = lessons::look_up_in({player.app().shown()->layer()});
  return Expression::parse(text).evaluate(lessons::look_up_in_model(reading, layer));
}

/// The engine's complete reading of the model on screen.
ModelReadingPtr all_of(Player& player, ModelEngine& engine) {
  ModelWants wants;
  wants.pruning = true;
  engine.submit(player.document().within.read(), wants);
  engine.wait_idle();
  return engine.latest_good();
}

}  // namespace

TEST_CASE("undo goes back before a model that a step of a lesson waited for", "[lessons][lesson_model]") {
  const Letters letters;
  Player player({.width = 1600, .height = 1000});
  const Document before = player.document();
  const auto step = [&](int mods) {
    player.key(ImGuiKey_Z, mods);
    player.settle();
  };
  player.app().files().opening.open(letters.file);
  player.settle();
  REQUIRE(player.document().within.read());
  step(ImGuiMod_Ctrl);  // to the lesson's page before its model was opened
  REQUIRE(player.app().view().mode == Mode::Lessons);
  REQUIRE(player.document() == before);
  for (const ImGuiKey key : {ImGuiKey_F2, ImGuiKey_S}) {
    player.key(key);
    player.settle();
  }
  const Document last = player.document();
  const std::size_t depth = player.app().history().depth();
  lesson_of(player.app().view()).model_due = true;  // as where the page is left before the model is there
  step(ImGuiMod_Ctrl);
  step(ImGuiMod_Ctrl);
  CHECK(player.app().view().mode == Mode::Lessons);
  CHECK(player.app().history().depth() == depth - 2);
  CHECK(player.document() == before);
  step(ImGuiMod_Ctrl | ImGuiMod_Shift);
  step(ImGuiMod_Ctrl | ImGuiMod_Shift);
  CHECK(player.app().history().depth() == depth);
  CHECK(player.document() == last);
}

TEST_CASE("a lesson on a model is played forward and exactly back", "[lessons][lesson_model]") {
  const Letters letters;
  Player player({.width = 1600, .height = 1000});
  player.app().files().opening.open(letters.file);
  player.settle();
  REQUIRE(player.app().lessons().open());
  CHECK(player.app().view().mode == Mode::Lessons);
  const auto last = std::ssize(player.lesson().documents) - 1;
  REQUIRE(last == 2);
  const auto is_step = [&](std::int64_t step) {
    CHECK(player.state().step == step);
    const ModelContext &now = player.document().within.read(), &said = player.of_step(step).within.read();
    CHECK(now.model);
    CHECK(now == said);
    CHECK(player.app().shown()->document.within.read() == said);
    CHECK(player.collides() == "");
  };
  is_step(0);
  CHECK(player.says("lifts the lid"));
  CHECK_FALSE(player.has("model map 0"));
  // Nothing changes while the question is open.
  player.click("All heads");
  player.settle();
  is_step(0);
  player.press(player.digit_of(1));
  player.press(ImGuiKey_R);
  CHECK(player.app().selection().head == 2);
  CHECK(player.app().selection().cell == Cell{4, 2});
  CHECK(player.has("model map 0"));
  player.press(ImGuiKey_Space);
  is_step(1);
  player.press(ImGuiKey_Space);
  is_step(2);
  player.press(ImGuiKey_LeftArrow);
  is_step(1);
  player.press(ImGuiKey_LeftArrow);
  is_step(0);
  CHECK(player.state().answer.revealed);
  CHECK(player.state().answer.chosen == 1);

  // Free play has the whole model, and coming back restores the step.
  player.press(ImGuiKey_Escape);
  CHECK(player.app().view().mode == Mode::Model);
  player.press(ImGuiKey_Escape);
  for (int i = 0; i < 2 && player.app().view().mode != Mode::Lessons; ++i) player.press(ImGuiKey_Escape);
  CHECK(player.app().view().mode == Mode::Lessons);
  is_step(0);
}

TEST_CASE("numbers of a lesson on a model are those of the core", "[lessons][lesson_model]") {
  const Letters letters;
  Player player({.width = 1600, .height = 1000});
  player.app().files().opening.open(letters.file);
  player.settle();
  player.press(ImGuiKey_Space);
  REQUIRE(player.state().step == 1);
  const test::ModelAlone alone(player);
  ModelEngine engine({}, 1);
  const ModelReadingPtr reading = all_of(player, engine);
  const auto is = [&](std::string_view text) { return number(player, text, *reading); };
  const auto near = [](double x, double y) { return std::abs(x - y) < 1e-5 * std::max(1.0, std::abs(y)); };
  const auto before = alone.logits(alone.clean), after = alone.logits(alone.changed);
  const auto a = static_cast<std::size_t>(
      alone.within.model->tokenizer->encode("a", {.add_special_tokens = false}).ids().at(0));
  CHECK(is("layers") == 3);
  CHECK(is("all_heads") == 12);
  CHECK(near(is("logit(\"a\")"), static_cast<double>(after[a])));
  CHECK(near(is("probability(\"a\")"), std::exp(log_softmax(after)[a])));
  CHECK(near(is("probability_before(\"a\")"), std::exp(log_softmax(before)[a])));
  CHECK(is("rank(\"a\")") == static_cast<double>(rank_of(after, static_cast<std::int64_t>(a))));
  CHECK(near(is("divergence()"), divergence(before, after)));
  CHECK(is("divergence()") > 0);
  CHECK(near(is("alone(0)"), divergence(before, after)));
  CHECK(near(is("prediction_entropy()"), prediction_entropy(after)));

  const std::vector<AtlasEntry> atlas = ablation_atlas(alone.model, alone.clean, {}, nullptr, alone.work);
  std::size_t above = 0;
  double larger = 0;
  for (const AtlasEntry& entry : atlas) {
    above += std::abs(entry.effect.top_logit_change) > 0.1 ? 1 : 0;
    larger += std::abs(entry.effect.top_logit_change) > std::abs(atlas[1].effect.top_logit_change) ? 1 : 0;
  }
  CHECK(near(is("effect(0, 1)"), atlas[1].effect.top_logit_change));
  CHECK(near(is("effect_divergence(2, 3)"), atlas[11].effect.divergence));
  CHECK(is("heads_with_effect(0.1)") == static_cast<double>(above));
  CHECK(is("effect_rank(0, 1)") == 1 + larger);
  const auto curve = pruning_curve(alone.model, alone.clean, atlas, {}, nullptr, alone.work);
  CHECK(near(is("pruned(5)"), curve[4].effect.divergence));
  CHECK(is("pruned(0)") == 0);

  const Tensor weights = head_weights(alone.model, alone.changed, AttentionOf::Decoder, 2, 3, alone.work);
  CHECK(near(is("head_weight(2, 3, 4, 1)"), static_cast<double>(weights.matrix()(4, 1))));
  double sum = 0, entropy = 0;
  for (std::int64_t i = 1; i < weights.matrix().rows(); ++i)
    sum += static_cast<double>(weights.matrix()(i, 0));
  for (std::int64_t j = 0; j <= 4; ++j) {
    const auto w = static_cast<double>(weights.matrix()(4, j));
    if (w > 0) entropy -= w * std::log(w);
  }
  CHECK(near(is("head_first(2, 3)"), sum / static_cast<double>(weights.matrix().rows() - 1)));
  CHECK(near(is("head_entropy(2, 3, 4)"), entropy));
  // The layer on screen is that of the step's head: its numbers have the names that they always have.
  CHECK(near(
      is("weight(3, 1)"),
      static_cast<double>(
          head_weights(alone.model, alone.changed, AttentionOf::Decoder, 0, 0, alone.work).matrix()(3, 1))));
  CHECK_THROWS_WITH(is("rank(\"nothing\")"), ContainsSubstring("has to be one"));
  CHECK_THROWS_WITH(is("effect(3, 0)"), ContainsSubstring("There is no layer 3; the model has 3"));
  CHECK_THROWS_WITH(is("effect(1)"), ContainsSubstring("expected 0 and 2"));
  CHECK_THROWS_WITH(is("planet"), ContainsSubstring("is no number of what is shown"));

  // What is not computed yet has no number.
  ModelReading begun = *reading;
  begun.effects = nullptr;
  CHECK_THROWS_WITH(number(player, "effect(0, 1)", begun), ContainsSubstring("still being worked out"));
}

TEST_CASE("a task in a model is done with the mouse", "[lessons][lesson_model]") {
  const Letters letters;
  Player player({.width = 1600, .height = 1000});
  player.app().files().opening.open(letters.file);
  player.settle();
  player.app().lessons().go_to({letters.file.native(), 2});
  player.settle();
  CHECK_FALSE(player.state().reached.contains(2));
  player.click("Mute head");
  player.settle();
  CHECK(player.state().reached.contains(2));
  const ModelChanges& changes = player.document().within.read().changes;
  REQUIRE(changes.heads.size() == 1);
  CHECK((changes.heads[0].block == 2 && changes.heads[0].head == 0));
  player.click("Mute head");
  player.settle();
  CHECK(player.document().within.read().changes.empty());
  // Other controls of a layer change the model, too, and can be taken back.
  player.click("Divide by sqrt(d_k)");
  player.settle();
  REQUIRE(player.document().within.read().changes.blocks.size() == 1);
  CHECK(player.document().within.read().changes.blocks[0].scale == 1.0);
  CHECK(player.app().view().mode == Mode::Lessons);
  player.click("Divide by sqrt(d_k)");
  player.settle();
  CHECK(player.document().within.read().changes.empty());
  player.retype("##Text", "ab ab");
  player.key(ImGuiKey_Escape);
  player.settle();
  CHECK(player.document().within.read().input.text == "ab ab");
  CHECK(player.app().view().mode == Mode::Lessons);
  // Another step and back: as it was.
  player.press(ImGuiKey_LeftArrow);
  player.press(ImGuiKey_RightArrow);
  CHECK(player.document().within.read() == player.of_step(2).within.read());
}

TEST_CASE("every task on SmolLM2 is done with the mouse, where it is on this computer",
          "[lessons][lesson_model]") {
  const auto assets = std::filesystem::path(ATTNSCOPE_ASSETS);
  if (!lessons::find_model("smollm2", assets, assets)) SKIP("tests/models/fetch smollm2 gets the model");
  Player player({.width = 1600, .height = 1000});
  std::size_t tasks = 0;
  for (const std::string& name : test::all_lessons()) {
    const lessons::Lesson lesson = lessons::read_lesson(assets / "lessons" / (name + ".md"));
    if (lesson.model != "smollm2") continue;
    for (std::int64_t step = 0; step < std::ssize(lesson.steps); ++step) {
      const lessons::Step& what = lesson.steps[static_cast<std::size_t>(step)];
      if (!what.done) continue;
      INFO(name << " step " << step + 1);
      player.app().lessons().go_to({name, step});
      player.settle();
      REQUIRE(player.document().within.read().model);
      if (what.question) player.press(ImGuiKey_R);
      CHECK_FALSE(player.state().reached.contains(step));
      const ModelText& wanted =
          player.lesson().documents[static_cast<std::size_t>(step)].reached->within.read().input;
      if (wanted != player.document().within.read().input) {
        player.retype("##Text", wanted.text);
        player.key(ImGuiKey_Escape);
        player.settle();
      } else {
        player.click("Mute head");
        player.settle();
      }
      CHECK(player.state().reached.contains(step));
      CHECK(player.says("Reached"));
      CHECK(player.collides() == "");
      ++tasks;
    }
  }
  CHECK(tasks >= 4);
}

TEST_CASE("without its model a lesson can be read, and goes on when the model is there",
          "[lessons][lesson_model]") {
  const Letters letters(letters_lesson, false);
  Player player({.width = 1600, .height = 1000});
  const Document before = player.document();
  player.app().files().opening.open(letters.file);
  player.settle();
  REQUIRE(player.app().lessons().open());
  CHECK(player.app().view().mode == Mode::Lessons);
  CHECK(player.says("letters is not there"));
  CHECK(player.says("…"));
  player.press(ImGuiKey_R);
  player.press(ImGuiKey_Space);
  CHECK(player.state().step == 1);
  CHECK(player.document() == before);  // nothing else has changed
  CHECK(player.collides() == "");

  const lessons::CheckedLesson unplayed = lessons::check_lesson(letters.file);
  CHECK(unplayed.problems.empty());
  CHECK_FALSE(unplayed.played);
  CHECK_THAT(test::run(letters.directory, "lesson check mine.md").out,
             ContainsSubstring("only its text was checked"));

  write_letters_gpt(letters.directory / "letters", 3, 16);
  const lessons::CheckedLesson found = lessons::check_lesson(letters.file);
  CHECK(found.problems.empty());
  CHECK(found.played);
  // Back to the list and into the lesson: the model is searched for again.
  player.click("All lessons");
  player.settle();
  player.app().files().opening.open(letters.file);
  player.settle();
  CHECK(player.document().within.read().model);
  CHECK(player.document().within.read() == player.of_step(0).within.read());
}

TEST_CASE("what is wrong in a lesson on a model is said", "[lessons][lesson_model]") {
  const auto problems = [](const std::string& from, const std::string& to) {
    std::string text = letters_lesson;
    text.replace(text.find(from), from.size(), to);
    const Letters letters(text);
    std::string all;
    const lessons::CheckedLesson found = lessons::check_lesson(letters.file);
    for (const std::string& problem : found.problems) all += problem + "\n";
    return all;
  };
  CHECK_THAT(problems("head: 1.2", "head: 3.0"), ContainsSubstring("mine.md:14: The model has 3 layers"));
  CHECK_THAT(problems("{layers:d}", "{planets:d}"), ContainsSubstring("is no number of what is shown"));
  CHECK_THAT(problems("\"block\": 0, \"head\": 1", "\"block\": 0, \"head\": 9"),
             ContainsSubstring("mine.md:25: There is no head 0.9"));
  CHECK_THAT(problems("divergence() > 0", "divergence() >= 0"),
             ContainsSubstring("is so when the step begins"));
  CHECK_THAT(problems("divergence() > 0", "divergence() > 1000"),
             ContainsSubstring("is not so after \"by\""));
  CHECK_THAT(problems("./letters", "nobody"), !ContainsSubstring("layers"));
}

TEST_CASE("a model is known by what other programs call it", "[lessons][lesson_model]") {
  const lessons::NamedModel* const model = lessons::named_model("smollm2");
  REQUIRE(model != nullptr);
  CHECK(lessons::is_called(*model, "SmolLM2-135M-Instruct"));
  CHECK(lessons::is_called(*model, "smollm2-135m-instruct-q8_0"));
  CHECK(lessons::is_called(*model, "smollm2:135m"));
  CHECK_FALSE(lessons::is_called(*model, "SmolLM2-135M"));
  CHECK_FALSE(lessons::is_called(*model, "SmolLM2-1.7B-Instruct"));
  CHECK_FALSE(lessons::is_called(*model, "smollm2:1.7b"));
  CHECK(lessons::named_model("gpt5") == nullptr);
}

}  // namespace attnscope::lesson_model_test
