// app/shell/files: what comes in from files and goes out to them.
#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>

#include "app/files/file_kinds.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/shell/app.hpp"
#include "app/shell/cards.hpp"
#include "app/shell/film.hpp"
#include "app/shell/still.hpp"
#include "app/state/editing_state.hpp"
#include "app/state/files_state.hpp"
#include "app/state/focus_state.hpp"
#include "app/state/start_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/edits/within.hpp"
#include "core/files/document/html_session.hpp"
#include "core/files/formats/limits.hpp"
#include "core/files/formats/posix.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

bool is_text(const std::filesystem::path& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  const FolderEntry entry{.name = path.filename().native(), .bytes = size};
  return !unknown && kind_of(entry) == FileKind::Text && !is_html_session(path);
}

/// As it stands there, line by line; without the mark that some editors put at its beginning.
std::string text_in(const std::filesystem::path& path) {
  std::string text = read_whole(path, max_text_bytes);
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.erase(0, mark.size());
  return text;
}

}  // namespace

void App::list_recent() {
  view_.files->recent.clear();
  for (const std::filesystem::path& known : files_.recent().paths()) view_.files->recent.push_back({known});
}

/// Another one is wanted now.
void App::begin_opening(std::string_view layer, const Answers& answers) {
  stop_opening();
  answers_ = answers;
  wants_layer_ = !layer.empty();
}

/// Of a file, and of a model that would be shown when it has run.
void App::stop_opening() {
  files_.stop_opening();
  view_.watch->joining.reset();
  keep_for_later(std::exchange(opening_from_, Kept::No));
  if (!model_arrival_) return;
  keep_for_later(std::exchange(model_arrival_, std::nullopt)->from);
  models_.follow(document_, model_wants());
}

/// A picture is what the model on screen looks at, a text what it reads.
bool App::give_to_model(const std::filesystem::path& path) {
  std::error_code unknown;
  const ModelContext& within = document_.within.read();
  const std::string name = in_quotes(path.filename().native());
  if (is_photo(path) && std::filesystem::is_regular_file(path, unknown)) {
    if (!within || !within.model->model->spec.image) {
      view_.notices.say(name +
                        " is a picture: open a model that looks at pictures first, a vision transformer.");
      return true;
    }
    end_typing();
    if (is_page(view_.mode) || is_watching(view_)) {  // they would not show it
      leave_page();
      view_.watch->on = false;
      view_.mode = Mode::Model;
    }
    document_.within.change().input.image = path;
    return true;
  }
  if (!within || !within.model->tokenizer || is_page(view_.mode) || !is_text(path)) return false;
  try {
    Document reads = edit::typed_text(document_, 0, text_in(path));
    end_typing();
    document_ = std::move(reads);
    view_.notices.tell_of(Notice::Of::Document, name + " is the text now. Ctrl+Z goes back.");
    files_.remember(path);
    list_recent();
  } catch (const std::exception& error) {
    view_.notices.say(error.what());
  }
  return true;
}

void App::open(const std::filesystem::path& path, std::string_view layer, const Answers& answers) {
  if (lessons::is_lesson(path)) return go_to_lesson({std::filesystem::absolute(path).native(), 0});
  if (layer.empty() && (give_to_watch(path) || give_to_model(path))) return;
  begin_opening(layer, answers);
  try {
    files_.begin_to_open(path, layer, view_);
    if (const auto read = files_.read_soon()) take_opened(read->take(), path);
  } catch (const std::exception& error) {
    view_.notices.say(error.what());
  }
}

void App::open(Session session, const std::filesystem::path& from, std::string_view layer,
               const Answers& answers) {
  begin_opening(layer, answers);
  take_opened(std::move(session), from);
}

/// Where it cannot be opened or its model cannot run, the next example is there instead, and it is said why.
void App::open_first(const std::filesystem::path& opening) {
  std::vector<std::filesystem::path> files;
  if (!opening.empty()) files.push_back(opening);
  for (const Example& example : examples_) files.push_back(example.path);
  std::string trouble;
  for (const std::filesystem::path& file : files) {
    try {
      take_opened(open_session(file, view_), file);
      if (model_arrival_) {
        models_.engine().wait_idle();
        take_readings();
      }
      if (arrival_) break;
    } catch (const std::exception& error) {
      trouble = error.what();
    }
  }
  view_.notices.say(trouble);
}

void App::finish_opening(bool wait) {
  if (auto found = files_.found_models()) view_.files->models = *std::move(found);
  const std::unique_ptr<Opening> done = files_.opened(wait);
  view_.files->opening = files_.on_its_way();
  if (!done) return;
  const Kept from = std::exchange(opening_from_, Kept::No);
  try {
    Session session = done->take();
    if (from == Kept::No)
      take_opened(std::move(session), done->path());
    else
      take_kept(std::move(session), done->path(), from);
  } catch (const std::exception& error) {
    say_why_not(error.what(), from);
  }
}

/// What cannot be computed was refused before the good one goes.
void App::take_opened(Session session, const std::filesystem::path& path) {
  if (!session.asks_for_model.empty() || session.document.within.read())
    return await_model({std::move(session), path});
  session.document = edit::answered(std::move(session.document), answers_);
  std::vector<LayerEntry> layers = std::move(session.layers);
  FilesState& files = *view_.files;
  if (wants_layer_ && is_layer_of_shown(path)) {
    take_layer(std::move(session.document));
  } else {
    const std::string ending = lower_extension(path);
    const bool is_session = session.looks.has_value();  // in a page of ours
    if (!is_session) leave_page();
    take(
        std::move(session), files_.is_own_document(path) ? path : std::filesystem::path{},
        !is_session && ending != ".json" && ending != ".safetensors" && ending != ".npy" && ending != ".npz");
    files.asks = attended_ && (is_causal_guessed(document_) || are_positions_guessed(document_));
  }
  files.layers = std::move(layers);
  files.layers_of = path;
  files_.remember(path);
  list_recent();
}

/// Whether what is shown is a layer of that file.
bool App::is_layer_of_shown(const std::filesystem::path& path) const {
  const FilesState& files = *view_.files;
  return path == files.layers_of &&
         std::any_of(files.layers.begin(), files.layers.end(),
                     [&](const LayerEntry& layer) { return layer.title == document_.title; });
}

/// Another layer is looked at as the one before: what a person set stays, and so do head, cell and zoom.
void App::take_layer(Document layer) {
  const bool edited = is_edited();
  Document raw = layer;
  document_ = edit::with_settings_of(std::move(layer), document_);
  original_ = edited ? std::move(raw) : document_;
  const std::string weights = weights_note(document_);
  view_.notices.say(weights.empty() ? not_finite_note(document_) : weights);
  view_.scope.clear();
}

/// A setting that was guessed is no guess any more once it is turned. `before`: as this frame found it.
void App::settle_guesses(const Answers& before) {
  if (Given* const given = document_.input.as<Given>()) {
    if (document_.layer().masking.causal != before.causal) given->guesses.causal.clear();
    if (document_.layer().positions != before.positions) given->guesses.positions.clear();
  }
  if (before.causal && document_.layer().masking.causal != before.causal) align_causal(document_);
}

/// A text opens with other settings than the examples have: said once, with the way back.
void App::tell_of_text() {
  if (!attended_ || !view_.notices.empty()) return;
  std::string note = "Opened without a causal mask (C turns it on) and without noise in the weights.";
  const bool log = view_.focus->log;
  if (log) note += " Its weights are small: colours are logarithmic (L: linear).";
  view_.notices.say(note + " Ctrl+Z goes back to what was open.",
                    log ? Notice::Of::Colours : Notice::Of::Document);
}

bool App::restore() {
  if (files_.keeper() == nullptr) return false;
  const std::filesystem::path left = files_.keeper()->autosave().take_over();
  if (left.empty()) return false;
  open_kept(left, Kept::Crash, "what was open");
  return true;
}

void App::offer_start() {
  StartState start = read_start(files_.state());
  if (start.left) return;
  *view_.start = std::move(start);
  view_.start->open = true;
}

/// From here on the Document is another one.
void App::take(Session session, const std::filesystem::path& file, bool is_text) {
  keep_closed();
  end_typing();
  // The answer would write this Document in the place of the one that it was asked about.
  if (view_.files->question) {
    view_.files->question.reset();
    close_cards();
  }
  *origin_ = origin_now();
  origin_ = std::make_shared<Origin>();
  document_ = std::move(session.document);
  original_ = document_;
  files_.follow(file);
  view_.files->file = file;
  view_.notices.leave_step();
  view_.notices.say(session.damage.empty() ? session.note : session.damage);
  view_.scope.clear();
  view_.watch->on = false;
  view_.focus->zoom = 1;  // another matrix is seen as a whole first
  if (!session.looks) view_.editing->weights.reset();
  untouched_ = false;
  following_.begin_anew();
  history_.leave_held();
  if (session.looks && !session.held) drop_held();
  comparison_.expect_nothing(engine_);
  model_b_.expect_nothing();
  asks_for_held_.reset();
  if (session.held) expect_held(std::move(*session.held), session.looks ? session.looks->held_seconds : 0);
  arrival_ = Arrival{std::move(session.looks), is_text};
}

/// Everything is looked at as it was when the session was kept. What belongs to this run stays.
void App::look_as_opened(Looks looks) {
  ViewState next = std::move(looks.view);
  next.scale = view_.scale;
  next.notices = std::move(view_.notices);
  next.now = view_.now;
  if (!looks.trace.empty()) put_back(looks.trace, next.scope, next.now);
  next.lesson->next_order = view_.lesson->next_order;
  next.files = std::move(view_.files);
  next.start = std::move(view_.start);
  next.keyboard = std::move(view_.keyboard);
  if (is_watching(view_)) next.mode = Mode::Model;  // it was asked for before the first picture was there
  next.watch = std::move(view_.watch);
  selection_ = looks.selection;
  chosen_ = place_of(selection_);
  was_used_ = weights_stage(shown_.result->document);  // nothing was switched, it was like this
  view_ = std::move(next);
}

/// A Document that is on its way is computed by it at once.
void App::use_backend(std::size_t choice) {
  const BackendChoice& wanted = backends_->choices().at(choice);
  if (!wanted.backend) return view_.notices.say(wanted.why_not);
  backends_->stop_comparing();  // it may hold the backend that is wanted
  models_.compute_with(wanted.rows);
  if (following_.use(wanted.backend) && before_) before_->switched = true;
}

void App::fulfil(const Requests& requests) {
  if (requests.look_for_lesson_model) lesson_models_.look_again();
  if (requests.backend) use_backend(*requests.backend);
  if (requests.hold) hold();
  if (requests.swap) swap_with_held();
  if (requests.release_held) release_held();
  if (requests.lesson) go_to_lesson(*requests.lesson);
  if (requests.made) take_made(*requests.made);
  if (requests.cancel_opening) stop_opening();
  if (requests.cancel_export) film_ ? stop_film() : files_.stop_export();
  if (requests.cancel_model) models_.engine().cancel();
  if (requests.resume_model) models_.go_on();
  if (requests.cancel_difference) model_b_.cancel();
  if (requests.resume_difference) model_b_.go_on();
  if (requests.open) open(*requests.open, requests.layer);
  if (requests.look_for_closed) view_.files->closed = files_.closed().list();
  if ((requests.look_for_closed && attended_) || requests.look_for_models) files_.look_for_models(attended_);
  if (requests.back_to_model) go_back_to_model();
  if (requests.reopen) reopen(*requests.reopen);
  if (requests.save) save(*requests.save, requests.replace);
  if (requests.picture) save_picture(*requests.picture, requests.replace);
  if (!requests.copy.empty()) ImGui::SetClipboardText(requests.copy.c_str());
  if (requests.history != 0) step_in_history(requests.history);
  if (view_.watch->open_layer) open_watched_layer();
  if (view_.watch->open_offer) open_watched_model();
}

SessionKeeper::Now App::now(double seconds) const {
  return {document_, view_, selection_, comparison_.held(), files_.path(), seconds};
}

void App::keep(double seconds) {
  // Before the first picture, and while a file is on its way, what is there is not what it will be.
  const bool arrives = arrival_ && !following_.is_up_to_date(document_);
  const bool restores = model_arrival_ && model_arrival_->from == Kept::Crash;
  const bool on_its_way = files_.is_opening() || arrives || restores || expects_held();
  SessionKeeper* const keeper = files_.keeper();
  if (keeper == nullptr || !shown_.result || on_its_way) return;
  if (const std::string trouble = keeper->autosave().trouble(); !trouble.empty()) view_.notices.say(trouble);
  if (untouched_) {
    keeper->is_as_it_was(now(seconds));
    untouched_ = false;
  }
  keeper->observe(now(seconds));
}

std::optional<double> App::keep_in() const {
  const SessionKeeper* const keeper = files_.keeper();
  if (keeper == nullptr || !keeper->due()) return std::nullopt;
  return std::max(0.0, *keeper->due() - ImGui::GetTime());
}

void App::keep_now() {
  if (SessionKeeper* keeper = files_.keeper()) keeper->write(now(ImGui::GetTime()));
}

}  // namespace attnscope
