// app/shell: what the hands do that no view decides: undo, and words that are typed while no field has the
// keyboard.
#include <algorithm>
#include <utility>

#include <imgui_internal.h>

#include "app/kit/ui/own_words.hpp"
#include "app/scene/actions.hpp"
#include "app/shell/app.hpp"
#include "app/shell/no_text.hpp"
#include "app/state/files_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/teaching/presenter_state.hpp"
#include "app/state/walk_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/views/parts/refusal.hpp"
#include "app/views/tokens/refused_typing.hpp"
#include "core/attention/run_stage.hpp"
#include "core/edits/dump.hpp"
#include "core/edits/within.hpp"
#include "core/text/letters.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr double told_for = 6;          // seconds that the status line names what a key did
constexpr int patience = 12;            // frames until a text field has the keyboard that was asked for
constexpr std::size_t most_fields = 3;  // of a batch that the token strip has room for

/// Whether a key, a button or the wheel did something in this frame, or is still held so that it repeats.
bool has_acted() {
  for (const ImGuiInputEvent& event : ImGui::GetCurrentContext()->InputEventsTrail)
    if (event.Type == ImGuiInputEventType_Key || event.Type == ImGuiInputEventType_MouseButton ||
        event.Type == ImGuiInputEventType_MouseWheel || event.Type == ImGuiInputEventType_Text)
      return true;
  return false;
}

/// Whether one of them went down: no key that only changes what others do.
bool has_pressed() {
  for (const ImGuiInputEvent& event : ImGui::GetCurrentContext()->InputEventsTrail) {
    if (event.Type == ImGuiInputEventType_MouseWheel || event.Type == ImGuiInputEventType_Text) return true;
    if (event.Type == ImGuiInputEventType_MouseButton && event.MouseButton.Down) return true;
    if (event.Type != ImGuiInputEventType_Key || !event.Key.Down) continue;
    const ImGuiKey key = event.Key.Key;
    if ((key & ImGuiMod_Mask_) == 0 && (key < ImGuiKey_LeftCtrl || key > ImGuiKey_RightSuper)) return true;
  }
  return false;
}

bool is_character_pressed() {
  const auto any = [](ImGuiKey first, ImGuiKey last) {
    for (int key = first; key <= last; ++key)
      if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), false)) return true;
    return false;
  };
  return any(ImGuiKey_0, ImGuiKey_Z) || any(ImGuiKey_Apostrophe, ImGuiKey_GraveAccent);
}

/// What a person calls it.
std::string name_of(const Document& document) {
  const ModelContext& within = document.within.read();
  return within ? within.path.filename().native() : plain(document.title);
}

/// Whether something else was opened, not only changed.
bool is_another(const Document& from, const Document& to) {
  const ModelContext& was = from.within.read();
  return from.title != to.title && (!was || was.model != to.within.read().model);
}

bool is_any_popup_open() { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); }

}  // namespace

Viewing App::viewing() const { return viewing_of(view_, at(selection_, chosen_)); }

/// Keeps inside what the shown result has. False: it looks at a difference that is not there.
bool App::view_as(const Viewing& look) {
  Selection chosen = selection_;
  view_again(look, view_, chosen);
  selection_ = chosen;
  chosen_ = place_of(chosen);
  if (!shown_.result) return true;
  const Plane wanted = view_.stage;
  was_used_ = weights_stage(shown_.result->document);  // nothing was switched, it was like this
  keep_selection_inside();
  keep_plane_there();
  return !wanted.is_difference() || view_.stage == wanted;
}

/// The result of another Document may have other heads and stages than the one in sight. What is held stays,
/// so that it can be compared with the step, unless the step had released or replaced it, or looks at a
/// difference that is not there with it.
void App::step_in_history(int way) {
  const std::optional<HeldThen> held = held_now();
  history_.holds(held ? &*held : nullptr);
  std::optional<History::Step> there = way < 0 ? history_.undo(what_is_said(document_), viewing())
                                               : history_.redo(what_is_said(document_), viewing());
  view_.keyboard.notice = {};
  if (!there) return;
  view_.notices.leave_step();
  const bool is_other = there->document != what_is_said(document_);
  const Document from = document_;
  stand_in(there->origin);
  bring_back(std::move(there->document));
  if (there->takes_held) bring_back_held(there->held);
  if (!view_as(there->look) && !is_other && there->held) bring_back_held(there->held);
  coming_.reset();
  if (is_other || expects_held()) coming_ = ComingStep{there->look, history_.recorded(), there->held};
  if (!is_another(from, document_)) return;
  view_.notices.say({});  // what was said of the one that was open
  const std::string name = in_quotes(name_of(document_));
  view_.notices.tell_of(Notice::Of::Document,
                        way < 0
                            ? "Undo went back to " + name + ", which was open before; Ctrl+Shift+Z returns."
                            : "Redo went on to " + name + ", which was open after it; Ctrl+Z goes back.");
}

bool App::has_model_behind() const {
  return !document_.within.read() && std::ranges::any_of(history_.past(), [](const History::Step& step) {
    return bool(step.document.within.read());
  });
}

Origin App::origin_now() const { return {files_.path(), files_.time(), original_}; }

/// What is on screen from here on was opened otherwise than what was there; null: it is not known.
void App::stand_in(OriginPtr origin) {
  if (!origin || origin == origin_) return;
  *origin_ = origin_now();
  origin_ = std::move(origin);
  files_.follow(origin_->file, origin_->time);
  original_ = origin_->saved;
}

void App::go_back_to_model() {
  if (!has_model_behind()) return;
  for (std::size_t left = history_.depth() + 1; left > 0 && !document_.within.read(); --left)
    step_in_history(-1);
  coming_.reset();  // it may have been left from another page
  view_.mode = Mode::Model;
}

/// What follows from a model comes with its next reading; until then the layer on screen stays.
void App::bring_back(Document said) {
  if (said.within.read()) {
    Document shown = document_;
    shown.precision = said.precision;
    shown.loss = said.loss;
    shown.within = said.within;
    said = models_.placed(std::move(shown));
  }
  document_ = std::move(said);
}

void App::view_when_computed() {
  if (!coming_) return;
  if (history_.recorded() != coming_->steps) return coming_.reset();  // something else was done since
  if (!shown_.result || shown_.result->document != document_) return;
  // Until the model has read the text that came back, its layer is still that of the text before: a cell
  // beyond that would be lost.
  if (!models_.is_up_to_date(document_) || expects_held()) return;
  const HeldThenPtr held = std::exchange(coming_->held, nullptr);
  if (!view_as(coming_->look) && held) bring_back_held(held);
  if (!expects_held()) coming_.reset();
}

void App::observe_history() {
  KeyboardState& keyboard = view_.keyboard;
  const std::uint64_t steps = history_.recorded();
  view_.files->model_behind = has_model_behind();
  // What the window was started with is the beginning: the picture before its first frame is no step.
  const bool is_on_its_way = files_.is_opening() || model_arrival_;
  if (is_on_its_way && history_.recorded() == 0 && history_.depth() == 0 && !is_edited()) return;
  const std::optional<HeldThen> held = held_now();
  history_.holds(held ? &*held : nullptr);
  history_.belong_to(origin_);
  history_.observe(what_is_said(document_), viewing(),
                   {ImGui::IsAnyItemActive() || keyboard.takes_words || view_.model->generation.left > 0,
                    has_acted(), has_pressed()},
                   view_.now);
  if (!keyboard.pressed.name.empty() && history_.recorded() != steps) {
    keyboard.notice = std::move(keyboard.pressed);
    keyboard.notice.until = ImGui::GetTime() + told_for;
  }
  keyboard.pressed = {};
}

bool App::wants_frame() const {
  if (view_.mode == Mode::Lessons && view_.lesson->answer_due > 0) return true;
  if (const Page* const page = page_of_mode(pages_, view_.mode); page != nullptr && page->is_moving(view_))
    return true;
  return !settled() || (view_.mode == Mode::Walk && view_.walk->is_moving());
}

std::optional<double> App::changes_in() const {
  std::optional<double> soonest;
  // A text that the model refuses at once: no work goes on that would draw the frame in which it looks old.
  if (const std::optional<double> since = view_.model->stale_since;
      since && view_.now - *since <= stale_moment)
    soonest = *since + stale_moment - view_.now + 0.02;
  for (const double end :
       {view_.keyboard.notice.until, view_.keyboard.sought.until, view_.presenter->pressed_until}) {
    const double left = end - ImGui::GetTime();
    if (left > 0 && (!soonest || left < *soonest)) soonest = left;
  }
  return soonest;
}

namespace {

/// Fields of the token strip: a text each, or the labels of a sequence that came as numbers.
std::size_t typed_fields(const Document& document) {
  return typed_texts(document) > 0 ? typed_texts(document) : document.input.sequences.size();
}

/// The key is free: no text field, no list and no page reads it.
bool is_paste_free(const ViewState& view) {
  const ImGuiIO& io = ImGui::GetIO();
  return io.KeyCtrl && !io.KeyAlt && !io.KeyShift && ImGui::IsKeyPressed(ImGuiKey_V, false) &&
         !io.WantTextInput && !view.keyboard.sentence.active && !is_any_popup_open();
}

/// As a text field takes it: a sign for what is no UTF-8, and of control characters newlines and tabs.
std::string clipboard_text() {
  const char* const copied = ImGui::GetClipboardText();
  const std::string_view bytes = copied != nullptr ? copied : "";
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const Decoded next = decode_at(bytes, at);
    at += next.length;
    const bool is_old_newline = next.value == '\r' && (at == bytes.size() || bytes[at] != '\n');
    const bool stays = next.value == '\n' || next.value == '\t' || (next.value >= ' ' && next.value != 127);
    if (is_old_newline || stays) append_utf8(text, is_old_newline ? U'\n' : next.value);
  }
  return text;
}

}  // namespace

/// Where words can go: the token strip's field, in a mode and window that has it.
bool App::has_sentence_in_sight() const {
  return view_.mode != Mode::Walk && !is_page(view_.mode) && !is_watching(view_) &&
         !view_.is_hidden(Region::Strip) && !shown_.result->layer().is_long() &&
         (typed_texts(document_) > 0 || document_.input.is_given());
}

/// Before any key of this frame does something.
void App::watch_letters() {
  const ImGuiIO& io = ImGui::GetIO();
  const double now = ImGui::GetTime();
  stray_.frame(now, !ImGui::GetCurrentContext()->InputEventsQueue.empty());
  KeyboardState& keyboard = view_.keyboard;
  if (is_typing_refused(keyboard)) {
    keyboard.takes_words = true;
    return stray_.begin(now);
  }
  if (is_paste_free(view_)) return paste_words();
  // The field was asked for by its key: no letter that comes before it has the keyboard is an action's.
  if (keyboard.sentence.wanted && !keyboard.takes_words && has_sentence_in_sight()) {
    keyboard.takes_words = true;
    stray_.begin(now);
  }
  if (keyboard.takes_words) return take_words();
  const bool begins = stray_.is_over(now);
  // A list that the first letter opened is no reason to stop; one that was open before is.
  const bool elsewhere =
      io.WantTextInput || view_.presenter->on || is_page(view_.mode) || (is_any_popup_open() && begins);
  const bool clicked = ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1);
  if (elsewhere || clicked || io.KeyCtrl || io.KeySuper) return stray_.end();
  const bool pressed = is_character_pressed();
  if (!pressed && io.InputQueueCharacters.empty()) return;
  if (begins) {
    stray_.begin(now);
    before_ = Before{document_,
                     view_,
                     at(selection_, chosen_),
                     history_,
                     backends_->find(shown_.result->backend),
                     false,
                     false,
                     held_now()};
  }
  if (pressed) stray_.touch(now);
  for (const ImWchar c : io.InputQueueCharacters)
    if (c >= ' ' && c != 127)
      stray_.add(c, is_key_of_action(c, view_.mode, shown_.result->layer().is_long()), now);
  if (stray_.are_words()) begin_words();
}

void App::begin_words() {
  if (is_any_popup_open()) ImGui::ClosePopupsExceptModals();
  take_back(std::move(*before_));
  before_.reset();
  KeyboardState& keyboard = view_.keyboard;
  keyboard.takes_words = true;
  const bool there = has_sentence_in_sight();
  if (typed_texts(document_) == 0 && !document_.input.is_given()) return refuse_typing(keyboard);
  keyboard.notice = {there ? "Words go to the sentence" : "Words go to the sentence, which is not in sight",
                     there ? "" : "Ctrl+L", there, ImGui::GetTime() + told_for};
  if (!there) return;
  SentenceState& sentence = keyboard.sentence;
  const std::size_t last = std::min(most_fields, typed_fields(document_)) - 1;
  sentence.field = std::min(text_in_sight(document_, selection_.sequence), last);
  sentence.wanted = sentence.at_end = true;
  sentence.waited = 0;
  type_words(stray_.text());
}

/// The clipboard's text goes to the sentence, or to the model as its text. A page that does not show it is
/// left, as for a file that is dropped.
void App::paste_words() {
  stray_.end();
  const std::string text = clipboard_text();
  if (text.empty()) return view_.notices.say("The clipboard holds no text.");
  const bool is_long = shown_.result->layer().is_long();
  if (const std::string_view why = why_no_text(document_, view_, is_long); !why.empty())
    return view_.notices.say(std::string(why));
  const std::size_t last = std::min(most_fields, typed_fields(document_)) - 1;
  view_.keyboard.sentence.field = std::min(text_in_sight(document_, selection_.sequence), last);
  const Document before = document_;
  if (is_page(view_.mode)) {
    leave_page();
    if (document_.within.read()) view_.mode = Mode::Model;
  }
  type_words(text);
  if (document_ != before)
    view_.notices.tell_of(Notice::Of::Document,
                          "The clipboard's text is the sentence now. Ctrl+Z goes back.");
}

/// Until the field has the keyboard, its letters are collected here.
void App::take_words() {
  KeyboardState& keyboard = view_.keyboard;
  const bool comes = keyboard.sentence.wanted && keyboard.sentence.waited < patience;
  const bool over = keyboard.sentence.wanted ? !comes : stray_.is_over(ImGui::GetTime());
  if (keyboard.sentence.active || over) {
    keyboard.takes_words = keyboard.sentence.wanted = false;
    return stray_.end();
  }
  const auto& typed = ImGui::GetIO().InputQueueCharacters;
  for (const ImWchar c : typed)
    if (c >= ' ' && c != 127) stray_.add(c, false, ImGui::GetTime());
  if (!comes || typed.empty()) return;
  keyboard.sentence.at_end = true;  // they stand in the place of what was there
  type_words(stray_.text());
}

void App::type_words(std::string_view text) {
  const Input before = document_.input;
  try {
    const std::size_t last = std::min(most_fields, typed_fields(document_)) - 1;
    const std::size_t field = std::min(view_.keyboard.sentence.field, last);
    document_ = typed_texts(document_) > 0 ? edit::typed_text(document_, field, std::string(text))
                                           : edit::labels(document_, field, std::string(text));
    tell_lost_cache(before);
  } catch (const std::exception& error) {
    view_.notices.say(error.what());
  }
}

/// A text of no more tokens than are cached takes the cache with it.
void App::tell_lost_cache(const Input& before) {
  const Input& now = document_.input;
  if (before.cached == 0 || now.cached > 0 || before.sequences == now.sequences) return;
  view_.notices.tell_of(
      Notice::Of::Step,
      "Too few tokens are left for what was cached, so nothing is cached now. Ctrl+Z goes back.");
}

/// The keys that were letters have done nothing: everything is as it was before the first of them.
void App::take_back(Before before) {
  if (before.swapped) swap_with_held();
  bring_back_held(before.held ? std::make_shared<const HeldThen>(*before.held) : nullptr);
  if (before.switched && before.backend) use_backend(*before.backend);
  history_ = std::move(before.history);
  document_ = std::move(before.document);
  before.view.now = view_.now;
  before.view.scale = view_.scale;
  before.view.files = std::move(view_.files);
  before.view.keyboard = std::move(view_.keyboard);
  view_ = std::move(before.view);
  const Viewing then = viewing_of(view_, before.selection);
  view_as(then);
  coming_ = ComingStep{then, history_.recorded()};
}

}  // namespace attnscope
