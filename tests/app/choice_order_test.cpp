// The order in which the choices of a question are shown: the same everywhere for a step until the lesson is
// started again, and over all lessons the right choice is in no place more often than by chance.
#include "app/pages/lessons/parts/choice_order.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "app/lesson_robot.hpp"

namespace attnscope::choice_order_test {

TEST_CASE("an order has every choice once, and depends on the lesson, the step and the playing alone",
          "[lessons][choice_order]") {
  for (std::size_t count = 0; count <= most_answers; ++count)
    for (std::int64_t step = 0; step < 12; ++step) {
      std::vector<std::size_t> order = choice_order({"04-why-divide", step}, count);
      CHECK(order == choice_order({"04-why-divide", step}, count));
      CHECK(order == choice_order({"/some/where/04-why-divide.de.md", step}, count));
      std::ranges::sort(order);
      std::vector<std::size_t> all(count);
      std::iota(all.begin(), all.end(), std::size_t{0});
      CHECK(order == all);
    }
  int differ = 0, differ_anew = 0;
  for (std::int64_t i = 0; i < 24; ++i) {
    differ += choice_order({"a", i}, 4) != choice_order({"a", i + 1}, 4);
    CHECK(choice_order({"a", 3, i}, 4) == choice_order({"a", 3, i}, 4));
    differ_anew += choice_order({"a", 3, i}, 4) != choice_order({"a", 3, i + 1}, 4);
  }
  CHECK(differ > 12);
  CHECK(differ_anew > 12);
}

TEST_CASE("the right choice stands in each place about equally often", "[lessons][choice_order]") {
  const std::int64_t playing = GENERATE(0, 1, 2, 3, 48271, 182605794, 2147483646);
  CAPTURE(playing);
  std::array<int, 4> right{};
  int all = 0;
  for (const std::string& name : test::all_lessons()) {
    const lessons::Lesson lesson =
        lessons::read_lesson(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons" / (name + ".md"));
    for (std::int64_t step = 0; step < std::ssize(lesson.steps); ++step) {
      const auto& question = lesson.steps[static_cast<std::size_t>(step)].question;
      const auto* const choose = question ? std::get_if<lessons::ChooseQuestion>(&question->kind) : nullptr;
      if (choose == nullptr || choose->choices.size() != right.size()) continue;
      const std::vector<std::size_t> order = choice_order({name, step, playing}, right.size());
      for (std::size_t place = 0; place < order.size(); ++place)
        if (choose->choices[order[place]].right) {
          ++right[place];
          ++all;
        }
    }
  }
  REQUIRE(all >= 40);
  for (std::size_t place = 0; place < right.size(); ++place) {
    INFO("place " << place + 1 << ": " << right[place] << " of " << all);
    CHECK(right[place] >= 0.15 * all);
    CHECK(right[place] <= 0.40 * all);
  }
}

TEST_CASE("a lesson that is begun again asks in another order, one that is gone through keeps it",
          "[lessons][choice_order]") {
  test::Player player;
  lesson_of(player.app().view()).next_order = 5;
  player.open("04-why-divide");
  CHECK(player.state().order == 5);
  const std::int64_t next = player.state().next_order;
  CHECK(next != 5);
  player.press(ImGuiKey_Space);
  CHECK(player.state().order == 5);
  player.press(ImGuiKey_Home);
  CHECK(player.state().step == 0);
  CHECK(player.state().order == next);
}

TEST_CASE("without a seed every playing asks in the same order", "[lessons][choice_order]") {
  test::Player player;
  player.open("04-why-divide");
  player.press(ImGuiKey_Space);
  player.press(ImGuiKey_Home);
  CHECK(player.state().order == 0);
}

}  // namespace attnscope::choice_order_test
