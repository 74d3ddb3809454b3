#include "app/state/teaching/lesson_state.hpp"

namespace attnscope {

void fields(PageFields& visit, StepAnswer& answer) {
  visit("chosen", answer.chosen, -1, static_cast<double>(most_answers) - 1);
  visit("value", answer.value, -1e9, 1e9);
  visit("revealed", answer.revealed);
}

void fields(PageFields& visit, LessonState& state) {
  visit("name", state.name);
  visit("step", state.step, 0, 1 << 10);
  visit("order", state.order, 0, 2147483646);
  visit("answer", state.answer);
  visit("notes", state.notes);
  visit("pytorch", state.pytorch);
  visit("counts_votes", state.counts_votes);
  visit("course", state.course);
  visit("stop", state.stop, 0, 1 << 10);
}

void find_lesson_beside(const std::filesystem::path& session, LessonState& state) {
  if (state.name.starts_with("./"))
    state.name = (std::filesystem::absolute(session).parent_path() / state.name).lexically_normal();
}

}  // namespace attnscope
