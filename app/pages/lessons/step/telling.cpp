// app/pages/lessons/step: a step in words, for output outside of the window (HTML pages).
#include "app/pages/lessons/step/telling.hpp"

#include "app/lessons/told_prose.hpp"
#include "app/lessons/until.hpp"
#include "app/pages/lessons/parts/choice_order.hpp"
#include "app/pages/lessons/step/question.hpp"

namespace attnscope {
namespace {

ToldProse prose_of_step(const lessons::Prose& prose, const ProseLookUp& look_up) {
  return told_prose(prose, look_up.number, look_up.is_english);
}

std::vector<ToldCodeLine> told_code(const LessonPage& page, const std::vector<lessons::CodeLine>& code,
                                    const ProseLookUp& look_up) {
  std::vector<ToldCodeLine> told;
  for (const lessons::CodeLine& line : code) {
    ToldCodeLine one{line.marked, page.hides_code(), line.code, {}, prose_of_step(line.note, look_up)};
    if (line.result)
      one.result =
          look_up.is_english ? own(look_up.number(*line.result)) : own_number(look_up.number(*line.result));
    told.push_back(std::move(one));
  }
  return told;
}

ToldQuestion told_question(const LessonPage& page, const lessons::Question& question) {
  const ProseLookUp look_up = page.prose_look_up();
  ToldQuestion told{
      prose_of_step(question.words, look_up), prose_of_step(question.answer, look_up), {}, {}, false};
  if (const auto* const choose = std::get_if<lessons::ChooseQuestion>(&question.kind)) {
    for (const std::size_t at :
         choice_order({page.open.name, page.state().step, page.state().order}, choose->choices.size())) {
      const lessons::Choice& choice = choose->choices[at];
      told.choices.push_back(
          {prose_of_step(choice.prose, look_up), prose_of_step(choice.why, look_up), choice.right});
    }
  } else if (const auto* const drag = std::get_if<lessons::DragQuestion>(&question.kind)) {
    told.drag = {drag->low, drag->high, drag->tolerance, measured_answer(page, question), {}, {}};
    if (told.drag->answer) {
      told.drag->far = drag_told(page, question, *told.drag->answer, false);
      told.drag->near = drag_told(page, question, *told.drag->answer, true);
    }
  } else {
    told.is_sketched = !std::holds_alternative<lessons::ThinkQuestion>(question.kind);
  }
  return told;
}

}  // namespace

void tell_lesson_step(const LessonPage& page, ToldStep& told) {
  const lessons::Step& step = page.step;
  const ProseLookUp look_up = page.prose_look_up(), code = lesson_code_look_up(page);
  told = {};
  told.title = step.title;
  if (step.chapter < page.lesson().chapters.size()) told.chapter = page.lesson().chapters[step.chapter];
  for (const lessons::Paragraph& paragraph : step.paragraphs)
    told.paragraphs.push_back({prose_of_step(paragraph.prose, look_up), paragraph.item});
  if (step.question) told.question = told_question(page, *step.question);
  if (step.done) told.task = step.done_words;
  told.numpy = told_code(page, step.numpy, code);
  told.pytorch = told_code(page, step.pytorch, code);
  told.covered = page.covered;
}

}  // namespace attnscope
