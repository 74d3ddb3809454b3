// app/shell/files: files that are dropped on the window, and what is typed at that moment.
#include <utility>

#include <imgui_internal.h>

#include "app/kit/ui/own_words.hpp"
#include "app/shell/app.hpp"
#include "app/shell/cards.hpp"
#include "core/edits/within.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

bool App::is_typing() const {
  return ImGui::GetCurrentContext() != nullptr && (ImGui::IsAnyItemActive() || view_.keyboard.takes_words);
}

/// Another Document comes now. What was typed into the one that is there becomes a step, and is not written
/// into the other one.
void App::end_typing() {
  if (!is_typing()) return;
  const std::optional<HeldThen> held = held_now();
  history_.holds(held ? &*held : nullptr);
  history_.end_step(what_is_said(document_), viewing());
  if (!ImGui::IsAnyItemActive()) return;
  ImGui::ClearActiveID();
  ImGui::GetCurrentContext()->InputTextDeactivatedState.ID = 0;
}

/// What lies over the window was meant for what was there before. A field takes what is typed in it, as after
/// a click elsewhere, before the file comes.
void App::drop(const std::vector<std::filesystem::path>& paths) {
  if (paths.empty()) return;
  if (view_.palette_shown) view_.palette_keeps = !view_.palette_text.empty();
  close_cards();
  view_.help = false;
  if (is_typing()) {
    KeyboardState& keyboard = view_.keyboard;
    dropped_ = DroppedFiles{paths, keyboard.sentence.active || keyboard.takes_words, false};
    ImGui::ClearActiveID();
    keyboard.takes_words = keyboard.sentence.wanted = false;
    stray_.end();
    return;
  }
  open(paths.front());
  if (paths.size() > 1)
    view_.notices.tell(std::to_string(paths.size()) + " files were dropped, and one is opened: " +
                       in_quotes(paths.front().filename().native()) + ".");
}

/// The field was left, and what stood in it is a step. Where the file changes nothing, one types on.
void App::follow_dropped() {
  if (!dropped_ || !dropped_->is_left) return;
  const DroppedFiles dropped = *std::exchange(dropped_, std::nullopt);
  const Document before = document_;
  const Mode mode = view_.mode;
  end_typing();
  view_.keyboard.takes_words = false;
  view_.notices.say({});  // it is of what was there before
  view_.notices.say(Notice::Source::Success, {});
  drop(dropped.paths);
  const bool comes = files_.is_opening() || model_arrival_;
  if (document_ == before && view_.mode == mode && !comes) {
    SentenceState& sentence = view_.keyboard.sentence;
    sentence.wanted = sentence.at_end = dropped.was_sentence;
    sentence.waited = 0;
  } else if (view_.notices.empty() && !(arrival_ && arrival_->is_text)) {
    view_.notices.tell(in_quotes(dropped.paths.front().filename().native()) +
                       " was dropped while you typed. Ctrl+Z goes back to what was typed.");
  }
}

}  // namespace attnscope
