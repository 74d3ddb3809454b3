#include "app/pages/lessons/page.hpp"

#include <utility>

#include "app/lessons/library.hpp"
#include "app/pages/lessons/facts.hpp"
#include "app/pages/lessons/lesson_page.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {
namespace {

/// An action of this page: in its mode alone.
constexpr Action lesson_action(std::string_view id, std::string_view name, ImGuiKeyChord key,
                               void (*run)(Scene&), std::array<ImGuiKeyChord, 2> also = {}) {
  Action action{Action::Group::Lessons, name, key, run};
  action.only = Mode::Lessons;
  action.also = also;
  action.id = id;
  return action;
}

template <std::int64_t Digit>
void lesson_digit_of(Scene& scene) {
  lesson_digit(scene, Digit);
}

constexpr Action lesson_actions[] = {
    lesson_action("lesson_next_step", "Next step", ImGuiKey_Space, lesson_next,
                  {ImGuiKey_RightArrow, ImGuiKey_PageDown}),
    lesson_action("lesson_step_before", "Step before", ImGuiKey_LeftArrow, lesson_back,
                  {ImGuiKey_PageUp, ImGuiKey_Backspace}),
    lesson_action("lesson_to_start", "Lesson from the start", ImGuiKey_Home, lesson_to_start),
    lesson_action("lesson_reveal", "Reveal what was predicted", ImGuiKey_R, lesson_reveal),
    lesson_action("lesson_notes", "Speaker notes", ImGuiKey_N, lesson_notes),
    lesson_action("lesson_votes", "Count the votes of a class", ImGuiKey_V, lesson_votes),
    lesson_action("lesson_other_picture", "Other picture of the step", ImGuiKey_X, lesson_other_picture),
    lesson_action("lesson_votes_again", "Ask the class again", ImGuiMod_Shift | ImGuiKey_V,
                  lesson_votes_again),
    lesson_action("lesson_list", "All lessons", 0, leave_lesson),
    lesson_action("lesson_course", "Go on with the course", ImGuiKey_Enter, continue_course),
    lesson_action("lesson_answer_1", "First answer of a question", ImGuiKey_1, lesson_digit_of<1>),
    lesson_action("lesson_answer_2", "Second answer of a question", ImGuiKey_2, lesson_digit_of<2>),
    lesson_action("lesson_answer_3", "Third answer of a question", ImGuiKey_3, lesson_digit_of<3>),
    lesson_action("lesson_answer_4", "Fourth answer of a question", ImGuiKey_4, lesson_digit_of<4>),
    lesson_action("lesson_answer_5", "Fifth answer of a question", ImGuiKey_5, lesson_digit_of<5>),
    lesson_action("lesson_answer_6", "Sixth answer of a question", ImGuiKey_6, lesson_digit_of<6>),
};

constexpr PageSteps lesson_steps{.are_there = [](const Shown& shown) { return lesson_in(shown) != nullptr; },
                                 .whole = "Whole lesson",
                                 .whole_file = "lesson",
                                 .one = "This step",
                                 .one_file = "step",
                                 .html = "for a browser: questions, lids, answers"};

constexpr PageFacts facts_of_lessons{
    .mode = Mode::Lessons,
    .name = "Lessons",
    .tip = {"Lessons", {}, "Attention from the first number on, step by step, with predictions.", "F8"},
    .open = {Action::Group::Look,
             "Lessons",
             ImGuiKey_F8,
             [](Scene& scene) { scene.view.mode = Mode::Lessons; },
             false,
             {},
             false,
             {},
             "lesson_page"},
    .actions = lesson_actions,
    .presenter_keys = lesson_presenter_keys,
    .leaves_up_and_down = [](const ViewState& view) { return !lesson_of(view).name.empty(); },
    .name_on_screen = trained_run_name,
    .picture = "Lesson",
    .picture_file = "lesson",
    .steps = &lesson_steps,
    .add_to_palette = add_lessons_to_palette};

}  // namespace

const PageFacts& Lessons::facts() const { return facts_of_lessons; }

bool Lessons::is_moving(const ViewState& view) const { return lesson_of(view).answer_due > 0; }

void Lessons::draw(Scene& scene, const Box& box) const { draw_lessons(scene, box); }

bool Lessons::leave(Scene& scene) const {
  lesson_free_play(scene);
  scene.view.presenter->returns = std::exchange(scene.view.presenter->on, false);
  return true;
}

PageRow lessons_page() {
  return {&facts_of_lessons, [] { return PageState("lesson", LessonState()); },
          [](const PageSupplies&) -> std::unique_ptr<Page> { return std::make_unique<Lessons>(); }};
}

}  // namespace attnscope
