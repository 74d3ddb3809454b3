#include "app/files/io/model_arriving.hpp"

#include <algorithm>
#include <utility>

#include "app/state/files_state.hpp"
#include "app/state/model_look.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/model/facts.hpp"
#include "core/models/changes.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

const std::string& predicted_text(const ModelText& input) {
  return input.decoder_text ? *input.decoder_text : input.text;
}

void ModelArriving::await(ModelArrival arrival) {
  Session& session = arrival.session;
  if (!session.asks_for_model.empty()) {
    space_.view.notices.say(session.asks_for_model);
    if (arrival.from == CameFrom::Crash && files_.keeper()) {
      // What is on screen now needs the file in which the crashed session is kept.
      arrival.path = files_.closed().take(files_.keeper()->autosave().file(), "restored session");
      arrival.from = CameFrom::Closed;
    }
    asks_for_model_ = std::move(arrival);
    return;
  }
  const ModelContext& opened = session.document.within.read();
  if (!session.looks && held_.take_moved(session.document)) return;
  if (asks_for_model_ && asks_for_model_->session.document.within.read().fingerprint == opened.fingerprint) {
    ModelContext& wanted = asks_for_model_->session.document.within.change();
    wanted.model = opened.model;
    wanted.path = opened.path;
    if (std::optional<Document>& held = asks_for_model_->session.held;
        held && held->within.read().is_unopened() && held->within.read().fingerprint == opened.fingerprint) {
      held->within.change().model = opened.model;
      held->within.change().path = opened.path;
    }
    ModelArrival found = *std::exchange(asks_for_model_, std::nullopt);
    found.session.asks_for_model.clear();
    return await(std::move(found));
  }
  if (opened && opened.model->model->spec.image && opened.input.image.empty())  // until one is dropped
    session.document.within.change().input.image =
        space_.assets / "examples" / (opened.model->trained ? "cross.png" : "picture.png");
  keep_text(session);
  open_on_best_head(arrival);
  if (!arrival.of_lesson) calls_.model_comes(session);
  begin(std::move(arrival));
}

/// While a model is held, a newly opened one gets the shown text, attention and block, so that the two can be
/// compared.
void ModelArriving::keep_text(Session& session) const {
  const ModelContext& now = space_.document.within.read();
  ModelContext& next = session.document.within.change();
  if (held_.model() == nullptr || session.looks || !now || !next) return;
  if (!now.model->tokenizer || !next.model->tokenizer) return;
  const ModelSpec &spec = next.model->model->spec, &before = now.model->model->spec;
  ModelText text = now.input;
  if (before.vocabulary != spec.vocabulary) {  // token ids mean other tokens
    text.continued.clear();
    text.masked.clear();
    text.ids.clear();
  }
  if (spec.reads_two_texts() && !before.reads_two_texts()) text.decoder_text = next.input.decoder_text;
  next.input = std::move(text);
  if (now.of != output_attention(spec)) return;
  next.of = now.of;
  next.block = std::min(now.block, blocks_in(spec, now.of) - 1);
}

/// A model that was trained here opens at its best head, on the text that this was shown on. Beside a held
/// model it keeps the text and the block of that one.
void ModelArriving::open_on_best_head(ModelArrival& arrival) const {
  std::optional<OpensOn>& on = model_look_of(space_.view).opens_on;
  if (!on || arrival.path != on->folder || held_.model() != nullptr) return on.reset();
  ModelContext& next = arrival.session.document.within.change();
  if (!next) return on.reset();
  on->is_due = true;
  if (!on->text.empty()) next.input.text = on->text;
  next.block = std::clamp(on->block, 0, blocks_in(next.model->model->spec, next.of) - 1);
}

void ModelArriving::begin(ModelArrival arrival) {
  space_.models.follow(arrival.session.document, calls_.model_wants());
  arrival_ = std::move(arrival);
}

void ModelArriving::stop() {
  if (!arrival_) return;
  keeping_.keep_for_later(std::exchange(arrival_, std::nullopt)->from);
  space_.models.follow(space_.document, calls_.model_wants());
}

void ModelArriving::take(const ModelReading& newest) {
  ModelArrival arrival = *std::exchange(arrival_, std::nullopt);
  const std::string& trouble = newest.error.empty() ? newest.layer_problem : newest.error;
  if (!trouble.empty()) {
    space_.models.follow(space_.document, calls_.model_wants());  // runs the previous model again
    keeping_.keep_for_later(arrival.from);
    return keeping_.say_why_not(trouble, arrival.from);
  }
  const Precision precision = arrival.session.document.precision;
  arrival.session.document = newest.layer;
  arrival.session.document.precision = precision;
  take_model(std::move(arrival));
}

void ModelArriving::take_model(ModelArrival arrival) {
  if (arrival.of_lesson) {  // a lesson is not an opened file
    arriving_.take(std::move(arrival.session), {});
    space_.document =
        space_.models.with_shown_block(std::move(space_.document));  // with the title of a layer
    space_.original = space_.document;
    lesson_of(space_.view).look_due = true;
    return;
  }
  const std::filesystem::path& path = arrival.path;
  const bool is_session = arrival.session.looks.has_value(), is_kept = arrival.from != CameFrom::File;
  const std::string damage = arrival.session.damage;
  std::filesystem::path file = is_session && files_.is_own_document(path) ? path : std::filesystem::path{};
  if (is_kept) file = is_session ? arrival.session.looks->file : std::filesystem::path{};
  if (!is_session) calls_.leave_page();
  const bool is_same_text =
      space_.document.within.read().input == arrival.session.document.within.read().input;
  if (!is_session && !is_same_text)
    model_look_of(space_.view).predicted_row.reset();  // it is a row of the previous text
  arriving_.take(std::move(arrival.session), file);
  model_look_of(space_.view).read = predicted_text(space_.document.within.read().input);
  space_.document = space_.models.with_shown_block(
      std::move(space_.document));  // with the title that it will have after a change
  space_.original = space_.document;
  if (!is_session) space_.view.mode = Mode::Model;
  space_.view.files->layers.clear();
  space_.view.files->layers_of = is_kept ? file : path;
  if (is_kept) {  // kept by a crash or a closed window: no file has it
    space_.original = {};
    return keeping_.tell_of_kept(path, arrival.from, damage);
  }
  files_.remember(path);
  keeping_.list_recent();
  calls_.model_came();
}

}  // namespace attnscope
