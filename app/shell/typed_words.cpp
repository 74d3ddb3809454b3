#include "app/shell/typed_words.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <imgui_internal.h>

#include "app/scene/actions.hpp"
#include "app/scene/page_facts.hpp"
#include "app/shell/no_text.hpp"
#include "app/state/files_state.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/tokens/refused_typing.hpp"
#include "core/edits/dump.hpp"
#include "core/edits/within.hpp"
#include "core/text/letters.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr double words_told_for = 6;    // seconds for which the status line names the action of a key
constexpr int patience = 12;            // frames to wait for a text field to get the keyboard
constexpr std::size_t most_fields = 3;  // fields for a batch in the token strip

bool is_character_pressed() {
  const auto any = [](ImGuiKey first, ImGuiKey last) {
    for (int key = first; key <= last; ++key)
      if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), false)) return true;
    return false;
  };
  return any(ImGuiKey_0, ImGuiKey_Z) || any(ImGuiKey_Apostrophe, ImGuiKey_GraveAccent);
}

bool is_any_popup_open() { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); }

/// Number of fields in the token strip: one for each text, or for the labels of each sequence of given
/// numbers.
std::size_t typed_fields(const Document& document) {
  return typed_texts(document) > 0 ? typed_texts(document) : document.input.sequences.size();
}

/// Whether Ctrl+V was pressed and no text field or list reads it.
bool is_paste_free(const ViewState& view) {
  const ImGuiIO& io = ImGui::GetIO();
  return io.KeyCtrl && !io.KeyAlt && !io.KeyShift && ImGui::IsKeyPressed(ImGuiKey_V, false) &&
         !io.WantTextInput && !view.keyboard.sentence.active && !is_any_popup_open();
}

/// The clipboard as a text field takes it: a replacement character for invalid UTF-8; of control characters
/// only newlines and tabs.
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

/// Whether the token strip's field, to which typed words go, is in sight.
bool TypedWords::is_sentence_visible() const {
  return has_sentence(space_.view.mode) && !is_watching(space_.view) &&
         !regions_of(space_.view).is_hidden(Region::Strip) && !space_.shown.result->layer().is_long() &&
         (typed_texts(space_.document) > 0 || space_.document.input.is_given());
}

/// Called before the keys of this frame run actions.
void TypedWords::watch_letters() {
  const ImGuiIO& io = ImGui::GetIO();
  const double now = ImGui::GetTime();
  space_.stray.frame(now, !ImGui::GetCurrentContext()->InputEventsQueue.empty());
  KeyboardState& keyboard = space_.view.keyboard;
  if (is_typing_refused(keyboard)) {
    keyboard.takes_words = true;
    return space_.stray.begin(now);
  }
  if (is_paste_free(space_.view)) return paste_words();
  // The field was asked for by its key: letters typed before it has the keyboard are text, not keys of
  // actions.
  if (keyboard.sentence.wanted && !keyboard.takes_words && is_sentence_visible()) {
    keyboard.takes_words = true;
    space_.stray.begin(now);
  }
  if (keyboard.takes_words) return take_words();
  const bool begins = space_.stray.is_over(now);
  // A list that the first letter opened does not stop the collecting; one that was open before does.
  const bool elsewhere = io.WantTextInput || space_.view.presenter->on || is_page(space_.view.mode) ||
                         (is_any_popup_open() && begins);
  const bool clicked = ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1);
  if (elsewhere || clicked || io.KeyCtrl || io.KeySuper) return space_.stray.end();
  const bool pressed = is_character_pressed();
  if (!pressed && io.InputQueueCharacters.empty()) return;
  if (begins) {
    space_.stray.begin(now);
    before_ = BeforeLetters{space_.document,
                            space_.view,
                            at(space_.selection, space_.chosen),
                            space_.history,
                            space_.backends.find(space_.shown.result->backend),
                            held_.swaps(),
                            space_.backend_switches,
                            held_.now()};
  }
  if (pressed) space_.stray.touch(now);
  for (const ImWchar c : io.InputQueueCharacters)
    if (c >= ' ' && c != 127)
      space_.stray.add(c, is_key_of_action(c, space_.view.mode, space_.shown.result->layer().is_long()), now);
  if (space_.stray.are_words()) begin_words();
}

void TypedWords::begin_words() {
  if (is_any_popup_open()) ImGui::ClosePopupsExceptModals();
  take_back(std::move(*before_));
  before_.reset();
  KeyboardState& keyboard = space_.view.keyboard;
  keyboard.takes_words = true;
  const bool there = is_sentence_visible();
  if (typed_texts(space_.document) == 0 && !space_.document.input.is_given()) return refuse_typing(keyboard);
  keyboard.notice = {there ? "Words go to the sentence" : "Words go to the sentence, which is not in sight",
                     there ? "" : "Ctrl+L", there, ImGui::GetTime() + words_told_for};
  if (!there) return;
  SentenceState& sentence = keyboard.sentence;
  const std::size_t last = std::min(most_fields, typed_fields(space_.document)) - 1;
  sentence.field = std::min(shown_text_index(space_.document, space_.selection.sequence), last);
  sentence.wanted = sentence.at_end = true;
  sentence.waited = 0;
  type_words(space_.stray.text());
}

/// Makes the clipboard's text the sentence, or the model's text. Leaves a page that does not show it, as for
/// a dropped file.
void TypedWords::paste_words() {
  space_.stray.end();
  const std::string text = clipboard_text();
  if (text.empty()) return space_.view.notices.say("The clipboard holds no text.");
  const bool is_long = space_.shown.result->layer().is_long();
  if (const std::string_view why = why_no_text(space_.document, space_.view, is_long); !why.empty())
    return space_.view.notices.say(std::string(why));
  const std::size_t last = std::min(most_fields, typed_fields(space_.document)) - 1;
  space_.view.keyboard.sentence.field =
      std::min(shown_text_index(space_.document, space_.selection.sequence), last);
  const Document before = space_.document;
  if (is_page(space_.view.mode)) {
    leave_page_();
    if (space_.document.within.read()) space_.view.mode = Mode::Model;
  }
  type_words(text);
  if (space_.document != before)
    space_.view.notices.tell_of(Notice::Of::Document,
                                "The clipboard's text is the sentence now. Ctrl+Z goes back.");
}

/// Collects letters until the field has the keyboard.
void TypedWords::take_words() {
  KeyboardState& keyboard = space_.view.keyboard;
  const bool comes = keyboard.sentence.wanted && keyboard.sentence.waited < patience;
  const bool over = keyboard.sentence.wanted ? !comes : space_.stray.is_over(ImGui::GetTime());
  if (keyboard.sentence.active || over) {
    keyboard.takes_words = keyboard.sentence.wanted = false;
    return space_.stray.end();
  }
  const auto& typed = ImGui::GetIO().InputQueueCharacters;
  for (const ImWchar c : typed)
    if (c >= ' ' && c != 127) space_.stray.add(c, false, ImGui::GetTime());
  if (!comes || typed.empty()) return;
  keyboard.sentence.at_end = true;  // the cursor goes behind the letters, which replaced the text
  type_words(space_.stray.text());
}

void TypedWords::type_words(std::string_view text) {
  const Input before = space_.document.input;
  try {
    const std::size_t last = std::min(most_fields, typed_fields(space_.document)) - 1;
    const std::size_t field = std::min(space_.view.keyboard.sentence.field, last);
    space_.document = typed_texts(space_.document) > 0
                          ? edit::typed_text(space_.document, field, std::string(text))
                          : edit::labels(space_.document, field, std::string(text));
    tell_lost_cache(space_, before);
  } catch (const std::exception& error) {
    space_.view.notices.say(error.what());
  }
}

void tell_lost_cache(Workspace& space, const Input& before) {
  const Input& now = space.document.input;
  if (before.cached == 0 || now.cached > 0 || before.sequences == now.sequences) return;
  space.view.notices.tell_of(
      Notice::Of::Step,
      "Too few tokens are left for what was cached, so nothing is cached now. Ctrl+Z goes back.");
}

/// Undoes what the letters' keys have done: restores everything from before the first letter.
void TypedWords::take_back(BeforeLetters before) {
  if ((held_.swaps() - before.swaps) % 2 != 0) held_.swap();
  held_.bring_back(before.held ? std::make_shared<const HeldThen>(*before.held) : nullptr);
  if (space_.backend_switches != before.switches && before.backend) space_.use_backend(*before.backend);
  space_.history = std::move(before.history);
  space_.document = std::move(before.document);
  before.view.now = space_.view.now;
  before.view.scale = space_.view.scale;
  before.view.files = std::move(space_.view.files);
  before.view.keyboard = std::move(space_.view.keyboard);
  space_.view = std::move(before.view);
  const Viewing then = viewing_of(space_.view, before.selection);
  space_.view_as(then);
  steps_.await(then);
}

}  // namespace attnscope
