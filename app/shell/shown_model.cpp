#include "app/shell/shown_model.hpp"

#include <utility>

#include "app/lessons/model_numbers.hpp"
#include "app/results/many_texts.hpp"
#include "app/shell/lesson_training.hpp"
#include "app/shell/replaced_text.hpp"
#include "app/shell/typed_words.hpp"
#include "app/state/model_state.hpp"
#include "app/views/many_texts/list_problem.hpp"
#include "app/views/model/facts.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

/// What of a picture the model does not see; what of a text stands in the section of the text.
std::string picture_note(const ModelReading& reading) {
  return reading.within.model->model->spec.image ? reading.tokens->untold : std::string();
}

}  // namespace

void ShownModel::take_readings() {
  const ModelReadingPtr newest = space_.models.news();
  if (!newest) return;
  if (arriving_.arrival()) return arriving_.take(*newest);
  space_.view.notices.say(Notice::Source::Model, !newest->error.empty()
                                                     ? list_problem(newest->error, *newest->within.model)
                                                 : !newest->layer_problem.empty() ? newest->layer_problem
                                                 : !newest->not_finite.empty()    ? newest->not_finite
                                                                                  : picture_note(*newest));
  if (newest->error.empty()) {
    const std::string& text = predicted_text(newest->within.input);
    const std::string before = std::exchange(space_.view.model->read, text);
    if (!before.empty() && is_text_replaced(before, text)) space_.view.model->predicted_row.reset();
    space_.backends.note(*newest);
    if (newest->backend_note != std::exchange(backend_note_, newest->backend_note))
      space_.view.notices.say(Notice::Source::Backend, newest->backend_note);
  }
  if (space_.document.within.read()) space_.document = space_.models.placed(std::move(space_.document));
}

ModelWants ShownModel::wants() const {
  if (const lessons::Step* const step = model_step(space_))
    return lessons::wants_of(*step, space_.document.within.read());
  const bool is_seen = space_.view.mode == Mode::Model || arriving_.arrival().has_value();
  ModelWants wants{
      .row = looking_.predicted_row(),
      .lens = is_seen,
      .scores = is_seen,
      .effects = is_seen,
      .contributions = is_seen && space_.view.model->value == CellValue::Contribution,
      .rollout = is_seen && space_.view.model->picture.rollout && space_.view.model->picture.is_there};
  const ModelContext& within = space_.document.within.read();
  if (space_.view.mode == Mode::Model && space_.view.model->screen == ModelScreen::Why && within &&
      within.block >= 0) {
    const WhyState& split = space_.view.model->split;
    WhyQuestion question;
    question.score = {within.of,
                      static_cast<std::size_t>(within.block),
                      space_.selection.head,
                      space_.selection.cell.query,
                      space_.selection.cell.key,
                      split.over_mean};
    question.token = space_.view.model->token_in(within.model->fingerprint, split.token);
    question.minus = space_.view.model->token_in(within.model->fingerprint, split.minus);
    wants.why = question;
  }
  if (space_.view.mode != Mode::Model || !within) return wants;
  wants.generation = space_.view.model->screen == ModelScreen::Generation;
  wants.pruning = space_.view.model->atlas.pruned == within.input;
  const PatchingState& patching = space_.view.model->patching;
  if (space_.view.model->screen == ModelScreen::Patching && patching.is_running &&
      !patching.corrupted.empty() && patching.corrupted != within.input.text) {
    wants.corrupted = within.input;
    wants.corrupted->text = patching.corrupted;
    wants.answer = patching.answers[0].id;
    wants.other_answer = patching.answers[1].id;
  }
  return wants;
}

Shown::RunningTask ShownModel::task() const {
  if (!space_.document.within.read() && !arriving_.arrival()) return {};
  const ModelEngine::RunningTask doing = space_.models.engine().running_task();
  return {doing.what, doing.share, doing.seconds};
}

void ShownModel::settle(const Document& before) {
  tell_lost_cache(space_, before.input);
  if (space_.models.settle(before, space_.document)) return;
  space_.view.notices.say(
      "This layer stands by itself now: what was changed cannot be changed inside the model. Ctrl+Z goes "
      "back.");
}

void ShownModel::follow() {
  if (!arriving_.arrival()) space_.models.follow(space_.document, wants());
}

bool ShownModel::is_settled() const {
  return space_.models.is_up_to_date(space_.document) && space_.models.is_complete() &&
         !is_running(space_.view.model->many.texts);
}

void ShownModel::wait() const {
  if (!space_.models.is_complete()) space_.models.engine().wait_idle();
}

}  // namespace attnscope
