#include "app/pages/lessons/facts.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/lessons/step/acts.hpp"
#include "app/pages/lessons/step/moments.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/window_state.hpp"
#include "app/training/run_words.hpp"
#include "app/training/training_runs.hpp"

namespace attnscope {
namespace {

/// The digit keys for that number of choices.
constexpr std::array<std::string_view, 7> digits_to{"",        "1",         "1 2",        "1 2 3",
                                                    "1 2 3 4", "1 2 3 4 5", "1 2 3 4 5 6"};

/// The number of choices of the step's question; 0: it has none.
std::size_t choices_in(const Scene& scene) {
  const lessons::Step* const step = lesson_step(scene);
  if (step == nullptr || !step->question) return 0;
  const auto* const choose = std::get_if<lessons::ChooseQuestion>(&step->question->kind);
  return choose == nullptr ? 0 : choose->choices.size();
}

}  // namespace

std::vector<PresenterKey> lesson_presenter_keys(const Scene& scene) {
  const lessons::Step* const step = lesson_step(scene);
  if (step == nullptr)
    return {{"Page Down", "more lessons"}, {"Esc", "leave the list", PresenterTool::None, GivesWay::Leaving}};
  std::vector<PresenterKey> keys;
  const LessonState& state = lesson_of(scene.view);
  const LessonMoments* const moments = moments_in(state);
  const lessons::Course* const course = lesson_course(scene);
  const bool goes_on = course != nullptr ? state.stop + 1 < std::ssize(course->stops)
                                         : state.step + 1 < std::ssize(lesson_in(scene)->lesson.steps);
  if (moments != nullptr && moments->words_left >= 1)
    keys.push_back({"Page Down", "read on"});
  else if (goes_on)
    keys.push_back({"Page Down", "next step"});
  if (step->question) keys.push_back({"R", "reveal"});
  if (const std::size_t count = choices_in(scene); count > 0) {
    const bool counts = state.counts_votes;
    keys.push_back({digits_to[std::min(count, digits_to.size() - 1)], counts ? "vote" : "choose",
                    PresenterTool::None, GivesWay::Choices});
    keys.push_back({"V", "count votes", PresenterTool::None, GivesWay::Votes});
    const bool voted = std::ranges::any_of(state.answer.votes, [](std::int64_t votes) { return votes > 0; });
    if (counts && voted && !state.answer.revealed && !state.answer.votes_before)
      keys.push_back({"Shift V", "ask again", PresenterTool::None, GivesWay::Votes});
  }
  keys.push_back({"Esc", "free play", PresenterTool::None, GivesWay::Leaving});
  keys.push_back({"N", "speaker notes", PresenterTool::None, GivesWay::Notes});
  return keys;
}

std::string trained_run_name(const Scene& scene) {
  if (scene.view.mode != Mode::Lessons || lesson_of(scene.view).name.empty() || !is_lesson_training(scene))
    return {};
  const LabState& state = lab_of(scene.view);
  const std::string task = lab_task_name(state.task), seed = std::to_string(state.seed);
  if (scene.training == nullptr || scene.training->shown_lab().runs.empty())
    return inner(task) + " · seed " + seed;
  const training::ShownLab& lab = scene.training->shown_lab();
  const bool is_b = state.side == LabSide::B && lab.runs.size() > 1;
  const std::int64_t newest = (is_b ? lab.runs.back() : lab.runs.front())->step;
  return inner(task) + (is_b ? " · B, step " : " · A, step ") +
         grouped(std::min(state.step.value_or(newest), newest)) + " · seed " + seed;
}

}  // namespace attnscope
