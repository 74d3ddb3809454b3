// Questions of a step on screen: nothing gives the answer away before R, and after R what was revealed is in
// sight and labelled.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/lesson_column_robot.hpp"
#include "app/training_robot.hpp"

namespace attnscope::lesson_questions_test {
namespace {

using namespace attnscope::test;

const std::string beginning = R"(---
lesson: x
---
```start
{"text": ["The cat sat on the mat"], "d_model": 64, "heads": 1, "seed": 25, "weights": "random", "biases": false}
```
)";

/// A lesson of these steps, open at the first one.
struct Asked : Player {
  explicit Asked(const std::string& steps, const RobotOptions& options = {.width = 1600, .height = 1000},
                 const std::string& front = beginning)
      : Player(options), name(written_lesson(directory, front + steps, "asked.md").native()) {
    go(0);
  }
  void go(std::int64_t step) {
    app().lessons().go_to({name, step});
    settle();
  }
  /// Whether these texts were drawn one after the other.
  bool says_in_order(const std::vector<std::string>& words) {
    const std::vector<PlacedText> texts = texts_of(*this);
    return std::search(texts.begin(), texts.end(), words.begin(), words.end(),
                       [](const PlacedText& a, const std::string& b) { return a.text == b; }) != texts.end();
  }
  bool has_text(const std::string& words) { return says_in_order({words}); }
  Box box_of(const std::string& label) {
    const RecordedItem* const found = items().find(label);
    REQUIRE(found != nullptr);
    return {found->min.x, found->min.y, found->max.x - found->min.x, found->max.y - found->min.y};
  }

  TemporaryDirectory directory;
  std::string name;
};

const std::string covered_step = R"(## Covered
Words.
```look
stage: weights
cell: 2, 3
plot: scores
```
```ask choose
What?
- alpha
- beta
* gamma
- delta
answer: Gamma it is.
```
```numpy
S = Q @ K.T  -> {1.5:.2f} before
> S.std()  -> {9.34:.2f}, and twice {8:.2f}
```
)";

}  // namespace

TEST_CASE("what code gives and the plot are covered until R, and a note of two numbers is whole",
          "[lessons][lesson_questions]") {
  std::string open_step = covered_step;
  open_step.replace(open_step.find("plot: scores"), 12, "plot: scores\ncover: no");
  Asked player(covered_step + open_step);
  CHECK(player.says("S.std()"));
  CHECK(std::ranges::count(texts_of(player), "?", &PlacedText::text) >= 3);  // two lines, and a lid
  CHECK_FALSE(player.has_text("1.50"));
  CHECK_FALSE(player.has_text("before"));
  CHECK_FALSE(player.has_text("9.34"));
  CHECK_FALSE(player.says("σ"));
  player.press(ImGuiKey_R);
  CHECK(player.has_text("1.50"));
  CHECK(player.says("σ"));
  CHECK(player.says_in_order({"9.34", ",", "and", "twice", "8.00"}));
  // Without a cover all of it is shown at once.
  player.go(1);
  CHECK_FALSE(player.says("lifts the lid"));
  CHECK(player.has_text("1.50"));
  CHECK(player.says("σ"));
}

TEST_CASE("digits and clicks choose what stands at that place", "[lessons][lesson_questions]") {
  Asked player(covered_step);
  const std::vector<std::string> names{"alpha", "beta", "gamma", "delta"};
  std::vector<std::pair<float, std::string>> shown;
  for (const PlacedText& text : texts_of(player))
    if (std::ranges::find(names, text.text) != names.end()) shown.emplace_back(text.y0, text.text);
  std::ranges::sort(shown);
  REQUIRE(shown.size() == names.size());
  for (std::size_t choice = 0; choice < names.size(); ++choice) {
    const std::size_t place = player.place_of(choice);
    CHECK(shown[place].second == names[choice]);
    player.press(player.digit_of(choice));
    CHECK(player.state().answer.chosen == static_cast<std::int64_t>(choice));
  }
  player.click("answer " + std::to_string(player.place_of(0) + 1));
  player.settle();
  CHECK(player.state().answer.chosen == 0);
}

TEST_CASE("a wrong choice is told why it is wrong, once it is revealed", "[lessons][lesson_questions]") {
  const std::string step =
      "## One\nWords.\n```ask choose\nWhat?\n- alpha | misconception\n- beta\n* gamma\n```\n";
  {
    Asked player(step);
    player.press(player.digit_of(0));
    CHECK_FALSE(player.has_text("misconception"));
    player.press(ImGuiKey_R);
    CHECK(player.has_text("misconception"));
    CHECK(player.collides() == "");
  }
  Asked other(step);
  other.press(other.digit_of(2));
  other.press(ImGuiKey_R);
  CHECK_FALSE(other.has_text("misconception"));
}

TEST_CASE("votes are told by number alone until they are revealed", "[lessons][lesson_questions]") {
  Asked player(covered_step);
  player.press(ImGuiKey_V);
  for (int i = 0; i < 7; ++i) player.press(player.digit_of(3));
  for (int i = 0; i < 2; ++i) player.press(player.digit_of(0));
  CHECK(player.state().answer.votes == std::array<std::int64_t, 6>{2, 0, 0, 7, 0, 0});
  CHECK(player.says("votes counted: 9"));
  CHECK_FALSE(player.has_text("7"));
  player.press(ImGuiKey_R);
  CHECK(player.has_text("7"));
  CHECK_FALSE(player.says("votes counted"));
}

TEST_CASE("a sketch is judged where there is one", "[lessons][lesson_questions]") {
  const std::string step = "## One\nWords.\n```ask sketch\nDraw.\nrow: 0, 2\nwithin: 0.2\n```\n";
  Asked player(step + step);
  player.press(ImGuiKey_R);
  REQUIRE(player.state().answer.revealed);
  CHECK_FALSE(player.says("guess − weight"));
  player.go(1);
  const Box area = player.box_of("sketch");
  player.drag({area.x + 20, area.bottom() - 10}, {area.x + 20, area.y + 10});
  player.press(ImGuiKey_R);
  CHECK(player.says("guess − weight"));
  // A question with an answer is counted, one without a drawn curve is not.
  player.settle();
  CHECK(player.says("of 1 predictions right"));
}

TEST_CASE("what follows from given numbers is computed, in the style of its step",
          "[lessons][lesson_questions]") {
  const auto drag = [](const std::string& answer, const std::string& said) {
    return "## One\nWords.\n```ask drag\nHow much?\nrange: 0, 20\nanswer: " + answer +
           "\nwithin: 1\nsaid: " + said + "\n```\n";
  };
  Asked player(drag("4 * 4", "It is that.") + drag("tokens * 100", "Just {tokens * 100:d}.") +
               drag("tokens / 10", "Just {tokens / 10:%}."));
  player.press(ImGuiKey_R);
  CHECK(player.has_text("computed 16"));
  player.go(1);
  player.press(ImGuiKey_R);
  CHECK(player.has_text("computed 600"));
  player.go(2);
  player.press(ImGuiKey_R);
  CHECK(player.has_text("computed 60 %"));
}

TEST_CASE("what a network does that is trained here is measured", "[lessons][lesson_questions]") {
  Trained player({.width = 1600, .height = 1000});
  const TemporaryDirectory directory;
  const std::string step =
      "## a\n```train\nsteps: 0\n```\n```ask drag\nHow much?\nrange: 0, 20\nanswer: accuracy(0) * 0 + 2\n"
      "within: 1\nsaid: So it is.\n```\n";
  player.go(written_lesson(directory, front_matter + step).native(), 0);
  player.press(ImGuiKey_R);
  CHECK(player.says("measured 2.00"));
}

TEST_CASE("after a wrong answer the right one is in sight, in a small window and before a room",
          "[lessons][lesson_questions]") {
  const auto reveals = [](Player& player, const std::string& name, bool votes) {
    player.app().lessons().go_to({name, 0});
    player.settle();
    for (std::int64_t step = 0; step < std::ssize(player.lesson().lesson.steps); ++step) {
      player.app().lessons().go_to({name, step});
      player.settle();
      const auto& question = player.step().question;
      const auto* const choose = question ? std::get_if<lessons::ChooseQuestion>(&question->kind) : nullptr;
      if (choose == nullptr) continue;
      INFO(name << " step " << step + 1);
      const auto wrong = std::ranges::find(choose->choices, false, &lessons::Choice::right);
      const auto digit = player.digit_of(static_cast<std::size_t>(wrong - choose->choices.begin()));
      if (votes && !player.state().counts_votes) player.press(ImGuiKey_V);
      player.press(digit);
      player.press(ImGuiKey_R);
      const Box column = words_column();
      const std::vector<PlacedText> texts = texts_in(player, column);
      CHECK(hidden_of(question->answer, texts, column) == "");
      CHECK(overlaps_in(texts) == "");
      for (const lessons::Choice& choice : choose->choices)
        if (choice.right) CHECK(hidden_of(choice.prose, texts, column) == "");
    }
  };
  {
    Player player({.width = 1280, .height = 720});
    reveals(player, "12-who-still-learns", false);
    reveals(player, "14-generating-with-a-cache", false);
  }
  Player player({.width = 1920, .height = 1080});
  player.app().lessons().go_to({"03-softmax-and-temperature", 0});
  player.settle();
  player.press(ImGuiKey_F5);
  reveals(player, "03-softmax-and-temperature", true);
}

TEST_CASE("a step that asks for a text has the keyboard in its field", "[lessons][lesson_questions]") {
  const std::string task =
      "```done\ntokens >= 8\nType two words more.\nby: {\"text\": [\"a b c d e f g h\"]}\n```\n";
  Asked player("## Type\nWords.\n```look\nshow: text\n```\n" + task +
               "## Asked\nWords.\n```look\nshow: text\n```\n```ask think\nWhat?\nanswer: That.\n```\n" +
               task + "## Other\nWords.\n```look\nshow: text\n```\n## Last\nWords.\n");
  CHECK(ImGui::GetIO().WantTextInput);
  const Document before = player.document();
  player.press(ImGuiKey_Space);
  player.press(ImGuiKey_N);
  CHECK(player.state().step == 0);
  CHECK_FALSE(player.state().notes);
  player.type("The cat sat on the big red mat");
  player.settle();
  CHECK(player.document() != before);
  CHECK(player.state().step == 0);
  CHECK(player.state().reached.contains(0));
  player.press(ImGuiKey_Escape);
  CHECK(player.app().view().mode == Mode::Lessons);
  player.press(ImGuiKey_Space);
  // While a question is open the field has no focus.
  REQUIRE(player.state().step == 1);
  CHECK_FALSE(ImGui::GetIO().WantTextInput);
  player.press(ImGuiKey_R);
  CHECK(player.state().answer.revealed);
  CHECK(ImGui::GetIO().WantTextInput);
  player.press(ImGuiKey_Escape);
  player.press(ImGuiKey_Space);
  // A text field for trying out is no task.
  REQUIRE(player.state().step == 2);
  CHECK_FALSE(ImGui::GetIO().WantTextInput);
  player.press(ImGuiKey_Space);
  CHECK(player.state().step == 3);
}

TEST_CASE("the axis of the scores stays as it is while dₖ is changed", "[lessons][lesson_questions]") {
  Asked player("## One\nWords.\n```look\nstage: scores\nplot: scores\nshow: d_k\n```\n");
  const float reach = player.moments().plot_reach;
  CHECK(reach > 0);
  for (const char* const press : {"d_k more", "d_k less", "d_k less"}) {
    player.click(press);
    player.settle();
  }
  CHECK(player.moments().plot_reach == reach);
}

const std::string curve_step = R"(## Curve
Words.
```train
steps: 75
measure: accuracy
```
```ask curve
What becomes of it?
measure: accuracy
within: 1
answer: That.
```
)";

TEST_CASE("the curve of a run is drawn before it is shown", "[lessons][lesson_questions][lesson_training]") {
  Asked player(curve_step + curve_step, {.width = 1600, .height = 1000}, front_matter);
  CHECK(player.says("Draw the curve that you expect"));
  CHECK_FALSE(player.has_text("measured"));
  const Box axes = player.box_of("curve");
  player.drag({axes.x + 5, axes.bottom() - 10}, {axes.right() - 5, axes.y + 10}, 8);
  const std::vector<float>& sketch = player.state().answer.curve;
  REQUIRE(sketch.size() == 128);
  CHECK(std::ranges::all_of(sketch, [](float y) { return y >= 0 && y <= 1; }));
  CHECK(std::ranges::is_sorted(sketch));
  CHECK_FALSE(player.says("Draw the curve"));
  CHECK(player.trains_at(0));
  player.press(ImGuiKey_R);
  CHECK(player.has_text("measured"));
  CHECK(player.has_text("drawn"));
  CHECK(player.says("of the axis away, which is near"));
  CHECK(player.collides() == "");
  // A revealed plot cannot be drawn on; and without a sketch there is no result.
  const std::vector<float> kept = player.state().answer.curve;
  player.drag({axes.x + 5, axes.y + 10}, {axes.right() - 5, axes.bottom() - 10});
  CHECK(player.state().answer.curve == kept);
  player.go(1);
  player.press(ImGuiKey_R);
  CHECK(player.has_text("measured"));
  CHECK_FALSE(player.says("of the axis away"));
}

TEST_CASE("where a run branches its plot says so", "[lessons][lesson_questions][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written_lesson(directory, small_lesson).native();
  Trained player({.width = 1600, .height = 1000});
  const auto is_cut = [&] { return std::ranges::count(texts_of(player), "cut", &PlacedText::text) > 0; };
  player.go(name, 2);
  CHECK(is_cut());
  CHECK(player.collides() == "");
  player.go(name, 3);
  CHECK_FALSE(is_cut());
}

TEST_CASE("the presenter's foot names R only where a step asks", "[lessons][presenter]") {
  Asked player("## One\nWords.\n## Two\nMore.\n```ask choose\nWhich?\n- 1\n* 2\n```\n");
  player.press(ImGuiKey_F5);
  CHECK_FALSE(player.has_text("reveal"));
  player.go(1);
  CHECK(player.has_text("reveal"));
}

TEST_CASE("the presenter's foot has room for what one draws with, whatever a step asks",
          "[lessons][presenter]") {
  for (const char* language : {"en", "de"}) {
    INFO(language);
    Player player({.width = 1280, .height = 720});
    player.app().view().language = language;
    player.app().lessons().go_to({"04-why-divide", 3});
    player.settle();
    player.press(ImGuiKey_F5);
    for (const ImGuiKey key : {ImGuiKey_V, ImGuiKey_PageDown, ImGuiKey_PageUp}) {
      player.press(key);
      CHECK(player.collides() == "");
      for (const PlacedText& text : texts_of(player)) CHECK(text.x1 <= 1280);
    }
    std::set<std::string> caps;
    for (const PlacedText& text : texts_of(player))
      if (text.y0 > 640) caps.insert(text.text);
    for (const char* cap : {"R", "F5", "P", "A", "W"}) {
      INFO(cap);
      CHECK(caps.contains(cap));
    }
    CHECK(caps.contains(language[0] == 'd' ? "zeichnen" : "draw"));
  }
}

TEST_CASE("before a room the list of lessons says what its keys do, and they turn the page",
          "[lessons][presenter]") {
  Player player({.width = 1280, .height = 720});
  player.press(ImGuiKey_F8);
  player.press(ImGuiKey_F5);
  CHECK(player.says("more lessons"));
  CHECK_FALSE(player.says("next step"));
  CHECK_FALSE(player.says("speaker notes"));
  REQUIRE(player.moments().list_scroll == 0);
  player.press(ImGuiKey_PageDown);
  CHECK(player.moments().list_scroll > 100);
  player.press(ImGuiKey_PageUp);
  CHECK(player.moments().list_scroll < 2);
}

TEST_CASE("the last step has none after it for a room's clicker", "[lessons][presenter]") {
  Player player({.width = 1280, .height = 720});
  player.app().lessons().go_to({"04-why-divide", 8});
  player.settle();
  player.press(ImGuiKey_F5);
  CHECK_FALSE(player.says("next step"));
  player.press(ImGuiKey_PageUp);
  CHECK(player.says("next step"));
}

TEST_CASE("what a lesson on an absent model offers stands above the presenter's keys",
          "[lessons][presenter]") {
  Player player({.width = 1280, .height = 720});
  player.app().lessons().go_to({"18-reading-a-real-head", 0});
  player.settle();
  player.press(ImGuiKey_F5);
  const RecordedItem* const again = player.items().find("Look again");
  if (again == nullptr) SKIP("the model is on this computer");
  const std::vector<PlacedText> texts = texts_of(player);
  const auto key = std::ranges::find(texts, "Page Down", &PlacedText::text);
  CHECK((key != texts.end() && again->max.y <= key->y0));
}

}  // namespace attnscope::lesson_questions_test
