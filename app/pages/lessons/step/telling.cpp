// app/pages/lessons/step: a step in words, for output outside of the window (HTML pages).
#include "app/pages/lessons/step/telling.hpp"

#include "app/lessons/until.hpp"
#include "app/pages/lessons/parts/choice_order.hpp"
#include "app/pages/lessons/step/question.hpp"

namespace attnscope {
namespace {

ToldPiece::Hue told_hue(const std::optional<lessons::Anchor>& anchor) {
  using Kind = lessons::Anchor::Kind;
  if (!anchor) return ToldPiece::Hue::None;
  switch (anchor->kind) {
    case Kind::Query: return ToldPiece::Hue::Query;
    case Kind::Key: return ToldPiece::Hue::Key;
    case Kind::Value: return ToldPiece::Hue::Value;
    case Kind::SideB: return ToldPiece::Hue::SideB;
    default: return ToldPiece::Hue::None;
  }
}

ToldProse told_prose(const lessons::Prose& prose, const ProseSight& sight) {
  ToldProse told;
  for (const lessons::Piece& piece : prose) {
    ToldPiece one;
    one.kind = static_cast<ToldPiece::Kind>(piece.kind);
    one.level = piece.level;
    one.hue = told_hue(piece.anchor);
    const std::string text = piece.number ? sight.number(piece) : piece.text;
    one.text = piece.number && !sight.is_english ? own_number(text) : own(text);
    told.push_back(std::move(one));
  }
  return told;
}

std::vector<ToldCodeLine> told_code(const LessonPage& page, const std::vector<lessons::CodeLine>& code,
                                    const ProseSight& sight) {
  std::vector<ToldCodeLine> told;
  for (const lessons::CodeLine& line : code) {
    ToldCodeLine one{line.marked, page.hides_code(), line.code, {}, told_prose(line.note, sight)};
    if (line.result)
      one.result =
          sight.is_english ? own(sight.number(*line.result)) : own_number(sight.number(*line.result));
    told.push_back(std::move(one));
  }
  return told;
}

ToldQuestion told_question(const LessonPage& page, const lessons::Question& question) {
  const ProseSight sight = page.sight();
  ToldQuestion told{told_prose(question.words, sight), told_prose(question.answer, sight), {}, {}, false};
  if (const auto* const choose = std::get_if<lessons::ChooseQuestion>(&question.kind)) {
    for (const std::size_t at :
         choice_order({page.open.name, page.state().step, page.state().order}, choose->choices.size())) {
      const lessons::Choice& choice = choose->choices[at];
      told.choices.push_back({told_prose(choice.prose, sight), told_prose(choice.why, sight), choice.right});
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
  const ProseSight sight = page.sight(), code = lesson_code_sight(page);
  told = {};
  told.title = step.title;
  if (step.chapter < page.lesson().chapters.size()) told.chapter = page.lesson().chapters[step.chapter];
  for (const lessons::Paragraph& paragraph : step.paragraphs)
    told.paragraphs.push_back({told_prose(paragraph.prose, sight), paragraph.item});
  if (step.question) told.question = told_question(page, *step.question);
  if (step.done) told.task = step.done_words;
  told.numpy = told_code(page, step.numpy, code);
  told.pytorch = told_code(page, step.pytorch, code);
  told.covered = page.covered;
}

}  // namespace attnscope
