#include "app/shell/shown_model.hpp"

#include <utility>

#include "app/lessons/model_numbers.hpp"
#include "app/shell/lesson_training.hpp"
#include "app/shell/replaced_text.hpp"
#include "app/shell/typed_words.hpp"
#include "app/state/model_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/model/list_problem.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

/// What the model does not see of a picture; the same for a text is shown in the text's section.
std::string picture_note(const ModelReading& reading) {
  return reading.within.model->model->spec.image ? reading.tokens->untold : std::string();
}

}  // namespace

void ShownModel::take_readings() {
  const ModelReadingPtr newest = space_.models.news();
  if (!newest) return;
  if (arriving_.arrival()) return arriving_.take(*newest);
  const std::string problem = !newest->error.empty() ? list_problem(newest->error, *newest->within.model)
                              : !newest->layer_problem.empty() ? newest->layer_problem
                              : !newest->not_finite.empty()    ? newest->not_finite
                                                               : picture_note(*newest);
  // A reading that says the same again does not push an answer aside.
  const Notice* const said = space_.view.notices.of(Notice::Source::Model);
  if (said == nullptr || said->text != problem) space_.view.notices.say(Notice::Source::Model, problem);
  if (newest->error.empty()) {
    const std::string& text = predicted_text(newest->within.input);
    const std::string before = std::exchange(model_look_of(space_.view).read, text);
    if (!before.empty() && is_text_replaced(before, text)) model_look_of(space_.view).predicted_row.reset();
    space_.backends.note(*newest);
    if (newest->backend_note != std::exchange(backend_note_, newest->backend_note))
      space_.view.notices.say(Notice::Source::Backend, newest->backend_note);
  }
  if (space_.document.within.read())
    space_.document = space_.models.with_shown_block(std::move(space_.document));
}

ModelWants ShownModel::wants() const {
  if (const lessons::Step* const step = model_step(space_))
    return lessons::wants_of(*step, space_.document.within.read());
  const bool is_seen = space_.view.mode == Mode::Model || arriving_.arrival().has_value();
  const ModelLook& look = model_look_of(space_.view);
  ModelWants wants{.row = looking_.predicted_row(),
                   .lens = is_seen,
                   .scores = is_seen,
                   .effects = is_seen,
                   .contributions = is_seen && look.value == CellValue::Contribution,
                   .rollout = is_seen && look.picture.rollout && look.picture.is_there};
  for (const auto& page : pages_)
    page->want(space_.view, space_.document.within.read(), space_.selection, wants);
  return wants;
}

Shown::RunningTask ShownModel::task() const {
  if (!space_.document.within.read() && !arriving_.arrival()) return {};
  const ModelEngine::RunningTask doing = space_.models.engine().running_task();
  return {doing.what, doing.share, doing.seconds};
}

void ShownModel::take_edits(const Document& before) {
  tell_lost_cache(space_, before.input);
  const std::string_view why = space_.models.take_edits(before, space_.document);
  if (why.empty()) return;
  space_.view.notices.say(std::string(why) + " This layer stands by itself now. Ctrl+Z goes back.");
}

void ShownModel::follow() {
  if (!arriving_.arrival()) space_.models.follow(space_.document, wants());
}

bool ShownModel::is_settled() const {
  return space_.models.is_up_to_date(space_.document) && space_.models.is_complete();
}

void ShownModel::wait() const {
  if (!space_.models.is_complete()) space_.models.engine().wait_idle();
}

}  // namespace attnscope
