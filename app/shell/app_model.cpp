// app/shell: the model that the Document on screen stands in: how it arrives, and how what is looked at
// follows it.
#include <algorithm>
#include <utility>

#include "app/lessons/model_numbers.hpp"
#include "app/results/worth_a_look.hpp"
#include "app/shell/app.hpp"
#include "app/shell/replaced_text.hpp"
#include "app/state/files_state.hpp"
#include "app/state/model_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/views/many_texts/list_problem.hpp"
#include "app/views/model/facts.hpp"
#include "core/attention/run_stage.hpp"
#include "core/edits/within.hpp"
#include "core/files/formats/posix.hpp"
#include "core/models/changes.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// What of a picture the model does not see; what of a text stands in the section of the text.
std::string picture_note(const ModelReading& reading) {
  return reading.within.model->model->spec.image ? reading.tokens->untold : std::string();
}

}  // namespace

/// It is run before it takes the place of what is shown. A session whose model has moved waits until that is
/// opened.
void App::await_model(ModelArrival arrival) {
  Session& session = arrival.session;
  if (!session.asks_for_model.empty()) {
    view_.notices.say(session.asks_for_model);
    if (arrival.from == Kept::Crash && files_.keeper()) {
      // What is open now needs the place where it was kept.
      arrival.path = files_.closed().take(files_.keeper()->autosave().file(), "restored session");
      arrival.from = Kept::Closed;
    }
    asks_for_model_ = std::move(arrival);
    return;
  }
  const ModelContext& opened = session.document.within.read();
  if (take_moved_held(session)) return;
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
    return await_model(std::move(found));
  }
  if (opened && opened.model->model->spec.image && opened.input.image.empty())  // until a person drops one
    session.document.within.change().input.image =
        files_.assets() / "examples" / (opened.model->trained ? "cross.png" : "picture.png");
  keep_text(session);
  if (!arrival.of_lesson) read_as_watched(session);
  models_.follow(session.document, model_wants());
  model_arrival_ = std::move(arrival);
}

/// While a model is held another one reads the same text, and is looked at in the same place: the two are to
/// be compared.
void App::keep_text(Session& session) const {
  const ModelContext& now = document_.within.read();
  ModelContext& next = session.document.within.change();
  if (model_b_.held() == nullptr || session.looks || !now || !next) return;
  if (!now.model->tokenizer || !next.model->tokenizer) return;
  const ModelSpec &spec = next.model->model->spec, &before = now.model->model->spec;
  ModelText text = now.input;
  if (before.vocabulary != spec.vocabulary) {  // tokens have other numbers
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

namespace {

/// The text whose rows something is predicted of.
const std::string& predicted_text(const ModelText& input) {
  return input.decoder_text ? *input.decoder_text : input.text;
}

}  // namespace

void App::take_readings() {
  const ModelReadingPtr newest = models_.news();
  if (!newest) return;
  if (model_arrival_) {
    ModelArrival arrival = *std::exchange(model_arrival_, std::nullopt);
    const std::string& trouble = newest->error.empty() ? newest->layer_problem : newest->error;
    if (!trouble.empty()) {
      models_.follow(document_, model_wants());  // what was there before comes back
      keep_for_later(arrival.from);
      return say_why_not(trouble, arrival.from);
    }
    const Precision precision = arrival.session.document.precision;
    arrival.session.document = newest->layer;
    arrival.session.document.precision = precision;
    return take_model(std::move(arrival));
  }
  view_.notices.say(Notice::Source::Model, !newest->error.empty()
                                               ? list_problem(newest->error, *newest->within.model)
                                           : !newest->layer_problem.empty() ? newest->layer_problem
                                           : !newest->not_finite.empty()    ? newest->not_finite
                                                                            : picture_note(*newest));
  if (newest->error.empty()) {
    const std::string& text = predicted_text(newest->within.input);
    const std::string before = std::exchange(view_.model->read, text);
    if (!before.empty() && is_text_replaced(before, text)) view_.model->predicted_row.reset();
    backends_->note(*newest);
    if (newest->backend_note != std::exchange(model_backend_note_, newest->backend_note))
      view_.notices.say(Notice::Source::Backend, newest->backend_note);
  }
  if (document_.within.read()) document_ = models_.placed(std::move(document_));
}

void App::take_model(ModelArrival arrival) {
  if (arrival.of_lesson) {  // a lesson is no file that was opened
    take(std::move(arrival.session), {});
    document_ = models_.placed(std::move(document_));  // called as every step of it is
    original_ = document_;
    view_.lesson->look_due = true;
    return;
  }
  const std::filesystem::path& path = arrival.path;
  const bool is_session = arrival.session.looks.has_value(), is_kept = arrival.from != Kept::No;
  const std::string damage = arrival.session.damage;
  std::filesystem::path file = is_session && files_.is_own_document(path) ? path : std::filesystem::path{};
  if (is_kept) file = is_session ? arrival.session.looks->file : std::filesystem::path{};
  if (!is_session) leave_page();
  const bool is_same_text = document_.within.read().input == arrival.session.document.within.read().input;
  if (!is_session && !is_same_text) view_.model->predicted_row.reset();  // a row of the text before
  take(std::move(arrival.session), file);
  view_.model->read = predicted_text(document_.within.read().input);
  document_ = models_.placed(std::move(document_));  // called as it will be when something has changed in it
  original_ = document_;
  if (!is_session) view_.mode = Mode::Model;
  view_.files->layers.clear();
  view_.files->layers_of = is_kept ? file : path;
  if (is_kept) {  // through a crash or the end of a window: no file knows it
    original_ = {};
    return tell_of_kept(path, arrival.from, damage);
  }
  files_.remember(path);
  list_recent();
  look_as_watched();
}

/// Of a model that says something of each token: of the one that is looked at, as the strip frames it. What
/// the mouse passes over waits until it leaves: effects of every head would begin anew.
std::optional<std::int64_t> App::predicted_row() const {
  const ModelContext& within = document_.within.read();
  const bool of_tokens = within && within.model->model->spec.head.kind == HeadKind::TokenClass;
  if (view_.model->predicted_row || !of_tokens || !shown_.result) return view_.model->predicted_row;
  if (selection_.locked) return selection_.cell.query;
  return std::min(rested_on_.query, shown_.result->layer().dimensions.queries - 1);
}

/// What is not on screen is not computed: lens and effects take longer than the heads.
ModelWants App::model_wants() const {
  if (const lessons::Step* const step = model_step())
    return lessons::wants_of(*step, document_.within.read());
  const bool is_seen = view_.mode == Mode::Model || model_arrival_.has_value();
  ModelWants wants{.row = predicted_row(),
                   .lens = is_seen,
                   .scores = is_seen,
                   .effects = is_seen,
                   .contributions = is_seen && view_.model->value == CellValue::Contribution,
                   .rollout = is_seen && view_.model->picture.rollout && view_.model->picture.is_there};
  const ModelContext& within = document_.within.read();
  if (view_.mode == Mode::Model && view_.model->screen == ModelScreen::Why && within && within.block >= 0) {
    const WhyState& split = view_.model->split;
    WhyQuestion question;
    question.score = {within.of,           static_cast<std::size_t>(within.block),
                      selection_.head,     selection_.cell.query,
                      selection_.cell.key, split.over_mean};
    question.token = view_.model->token_in(within.model->fingerprint, split.token);
    question.minus = view_.model->token_in(within.model->fingerprint, split.minus);
    wants.why = question;
  }
  if (view_.mode != Mode::Model || !within) return wants;
  wants.generation = view_.model->screen == ModelScreen::Generation;
  wants.pruning = view_.model->atlas.pruned == within.input;
  const PatchingState& patching = view_.model->patching;
  if (view_.model->screen == ModelScreen::Patching && patching.is_running && !patching.corrupted.empty() &&
      patching.corrupted != within.input.text) {
    wants.corrupted = within.input;
    wants.corrupted->text = patching.corrupted;
    wants.answer = patching.answers[0].id;
    wants.other_answer = patching.answers[1].id;
  }
  return wants;
}

Shown::RunningTask App::model_task() const {
  if (!document_.within.read() && !model_arrival_) return {};
  const ModelEngine::RunningTask doing = models_.engine().running_task();
  return {doing.what, doing.share, doing.seconds};
}

/// In the row of the token that something is predicted of the head that is worth a look, see
/// head_worth_a_look(). In a lesson, and beside a model that is held, the first head, and what it looks at
/// most besides itself and the first token, which is a sink in most heads.
void App::choose_in_model() {
  const LayerResult& layer = shown_.result->layer();
  const ModelReading* const model = models_.shown_of(document_);
  const bool encoder = document_.within.read().of == AttentionOf::Encoder;
  std::int64_t query = layer.dimensions.queries - 1;
  if (encoder && model != nullptr && model->prediction && model->prediction->row >= 0)
    query = std::min(query, model->prediction->row);
  else if (encoder && model != nullptr && model->tokens && model->tokens->input.image.size() > 0)
    query = 0;  // the class token
  const Tensor& weights = *layer.trace[weights_stage(shown_.result->document)];
  selection_.locked = true;
  view_.model->opened_at.reset();
  if (view_.mode == Mode::Model && model_b_.held() == nullptr) {
    const ModelContext& within = document_.within.read();
    LookedThrough in{weights, layer.dimensions.heads, query, !is_cross(layer), {}};
    if (model != nullptr && model->tokens) in.keys = model->tokens->keys_of(within.of).tokens;
    if (const auto found = head_worth_a_look(in)) {
      selection_.head = found->head;
      selection_.cell = found->cell;
      view_.model->opened_at = OpenedAt{within, found->head, found->cell};
      return;
    }
  }
  const auto row = weights.matrix(0, selection_.head).row(query);
  std::int64_t key = 0;
  for (std::int64_t j = 1; j < layer.dimensions.keys; ++j)
    if (j != query && (key == 0 || row(j) > row(key))) key = j;
  selection_.cell = {query, key};
}

void App::settle_model(const Document& before) {
  tell_lost_cache(before.input);
  if (models_.settle(before, document_)) return;
  view_.notices.say(
      "This layer stands by itself now: what was changed cannot be changed inside the model. Ctrl+Z goes "
      "back.");
}

}  // namespace attnscope
