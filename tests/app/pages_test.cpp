// Pages: what the shell requires of each row of their table, and that their state is a value of the
// ViewState.
#include <algorithm>
#include <set>
#include <string_view>

#include <catch2/catch_test_macros.hpp>

#include "app/pages/experiments/experiment_state.hpp"
#include "app/pages/lessons/step/moments.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/shell/page.hpp"
#include "app/state/window_state.hpp"
#include "app/training/lab_state.hpp"
#include "robot/robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::pages_test {

TEST_CASE("pages: each has what the bar, the dialog for files and the keys ask of it") {
  REQUIRE_FALSE(page_facts().empty());
  for (const PageFacts* const page : page_facts()) {
    INFO(page->mode.name);
    CHECK(page_facts_of(page->mode) == page);  // no mode has two
    CHECK(page->tip.title == page->name);
    CHECK(page->open.name.starts_with(page->name));
    CHECK_FALSE(page->picture.empty());
    CHECK_FALSE(page->picture_file.empty());
    REQUIRE(page->table.empty() == (page->table_name == nullptr));
    if (!page->table.empty()) CHECK_FALSE(page->table_name(ViewState()).empty());
    for (const Action& action : page->actions) CHECK(action.only == page->mode);
    if (page->steps == nullptr) continue;
    REQUIRE(page->steps->are_there != nullptr);
    CHECK_FALSE((page->steps->whole.empty() || page->steps->one.empty() || page->steps->html.empty()));
    CHECK(page->steps->whole_file != page->steps->one_file);
  }
  CHECK(page_facts_of(Mode{"none"}) == nullptr);
}

TEST_CASE("pages: a mode is found by the name that sessions have for it, and by no other") {
  REQUIRE(modes().size() == mode_names().size());
  std::set<std::string_view> names;
  for (const Mode& mode : modes()) {
    CHECK(names.insert(mode.name).second);
    CHECK(mode_named(mode.name) == mode);
  }
  CHECK_FALSE(mode_named("none"));
  for (const PageFacts* const page : page_facts()) CHECK(names.contains(page->mode.name));
}

TEST_CASE("pages: their actions are in the table, by ids that no two share") {
  std::set<std::string_view> ids;
  for (const Action& action : actions()) {
    INFO(action.name);
    if (!action.id.empty()) CHECK(ids.insert(action.id).second);
  }
  for (const PageFacts* const page : page_facts()) {
    INFO(page->mode.name);
    CHECK(ids.contains(page->open.id) == (page->open.run != nullptr));
    CHECK((page->open.run != nullptr) == page->is_on_bar);
    for (const Action& action : page->actions) {
      INFO(action.name);
      CHECK_FALSE(action.id.empty());
      CHECK(ids.contains(action.id));
    }
  }
}

TEST_CASE("pages: an action in a group of others stands behind the one that it names") {
  const auto all = actions();
  for (const PageFacts* const page : page_facts())
    for (const Action& action : page->actions) {
      INFO(action.name);
      if (action.behind.empty()) continue;
      const auto at = std::ranges::find(all, action.id, &Action::id);
      REQUIRE(at != all.begin());
      CHECK((at - 1)->name == action.behind);
      CHECK((at - 1)->group == action.group);
    }
}

TEST_CASE("pages: an App has one of each, in the order of their table") {
  const std::vector<std::unique_ptr<Page>> pages = make_pages({[] {}});
  const auto facts = page_facts();
  REQUIRE(pages.size() == facts.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    CHECK(&pages[i]->facts() == facts[i]);
    CHECK(page_of_mode(pages, facts[i]->mode) == pages[i].get());
    CHECK(pages[i]->is_settled());  // no work was given to it
  }
  CHECK(page_of_mode(pages, Mode{"none"}) == nullptr);
}

TEST_CASE("pages: their state is copied and assigned with the ViewState") {
  ViewState one;
  experiment_of(one).name = "masks";
  ViewState other = one;
  CHECK(experiment_of(other).name == "masks");
  experiment_of(other).name = "cost";
  experiment_of(other).value = 256;
  CHECK(experiment_of(one).name == "masks");
  CHECK_FALSE(experiment_of(one).value);
  one = other;
  CHECK(experiment_of(one).value == 256);
  one = ViewState();
  CHECK(experiment_of(one).name == ExperimentState().name);
  lab_of(one).seed = 5;
  other = one;
  lab_of(one).seed = 6;
  CHECK(lab_of(other).seed == 5);
}

TEST_CASE("pages: what no list offers is shown by its name, and comes back with a session") {
  const std::optional<Mode> gallery = mode_named("gallery");
  REQUIRE(gallery);
  REQUIRE_FALSE(page_facts_of(*gallery)->is_on_bar);
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  CHECK_FALSE(robot.has("Logarithmic"));
  robot.app().view().mode = *gallery;
  robot.settle();
  CHECK(robot.has("Logarithmic"));
  CHECK_FALSE(robot.has("Mode: Gallery"));
  const test::TemporaryDirectory directory;
  robot.app().files().saving.save(directory / "gallery.json");
  robot.key(ImGuiKey_F2);
  robot.settle();
  REQUIRE(robot.app().view().mode == Mode::Explore);
  robot.app().files().opening.open(directory / "gallery.json");
  robot.settle();
  CHECK(robot.app().view().mode == *gallery);
  CHECK(robot.has("Logarithmic"));
}

TEST_CASE("pages: what a lesson's page keeps of a step is a value of its state, and goes with the step") {
  ViewState one;
  moments_of(lesson_of(one)).scroll = 40;
  ViewState other = one;
  moments_of(lesson_of(other)).scroll = 7;
  CHECK(moments_of(lesson_of(one)).scroll == 40);
  lesson_of(one).on_page.reset();  // as the shell does when another step comes
  CHECK(moments_of(lesson_of(one)).scroll == 0);
  CHECK(moments_of(lesson_of(other)).scroll == 7);
}

TEST_CASE("pages: what other rooms know of a state is a part of it, and copied with it") {
  ViewState one;
  model_look_of(one).screen = ModelScreen::Atlas;
  CHECK(model_state_of(one).screen == ModelScreen::Atlas);
  const ViewState other = one;
  model_state_of(one).screen = ModelScreen::Why;
  CHECK(model_look_of(other).screen == ModelScreen::Atlas);
  CHECK(&model_look_of(other) == &model_state_of(other));
}

}  // namespace attnscope::pages_test
