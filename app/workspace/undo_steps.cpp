#include "app/workspace/undo_steps.hpp"

#include <algorithm>
#include <utility>

#include <imgui_internal.h>

#include "app/kit/ui/own_words.hpp"
#include "app/state/files_state.hpp"
#include "app/state/keyboard_state.hpp"
#include "app/state/window_state.hpp"
#include "core/edits/within.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr double told_for = 6;  // seconds for which the status line names the action of a key

/// Whether this frame had an event of a key, a mouse button, the wheel or of text.
bool has_acted() {
  for (const ImGuiInputEvent& event : ImGui::GetCurrentContext()->InputEventsTrail)
    if (event.Type == ImGuiInputEventType_Key || event.Type == ImGuiInputEventType_MouseButton ||
        event.Type == ImGuiInputEventType_MouseWheel || event.Type == ImGuiInputEventType_Text)
      return true;
  return false;
}

/// Whether one of them was pressed; modifier keys do not count.
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

/// The name for a message: the model's file, or the title.
std::string name_of(const Document& document) {
  const ModelContext& within = document.within.read();
  return within ? within.path.filename().native() : plain(document.title);
}

/// Whether the step leads to another Document or model, not to another state of the same.
bool is_another(const Document& from, const Document& to) {
  const ModelContext& was = from.within.read();
  return from.title != to.title && (!was || was.model != to.within.read().model);
}

}  // namespace

/// B stays held, to be compared with the step's Document, unless the step released or replaced B, or shows a
/// difference that does not exist with this B.
void UndoSteps::step(int way) {
  const std::optional<HeldThen> held = held_.now();
  space_.history.holds(held ? &*held : nullptr);
  std::optional<History::Step> there =
      way < 0 ? space_.history.undo(what_is_said(space_.document), space_.viewing())
              : space_.history.redo(what_is_said(space_.document), space_.viewing());
  space_.view.keyboard.notice = {};
  if (!there) return;
  space_.view.notices.leave_step();
  const bool is_other = there->document != what_is_said(space_.document);
  const Document from = space_.document;
  space_.stand_in(there->origin);
  bring_back(std::move(there->document));
  if (there->takes_held) held_.bring_back(there->held);
  if (!space_.view_as(there->look) && !is_other && there->held) held_.bring_back(there->held);
  coming_.reset();
  if (is_other || held_.is_expecting())
    coming_ = ComingStep{there->look, space_.history.recorded(), there->held};
  if (!is_another(from, space_.document)) return;
  space_.view.notices.say({});  // it is about the Document that was open
  const std::string name = in_quotes(name_of(space_.document));
  space_.view.notices.tell_of(
      Notice::Of::Document,
      way < 0 ? "Undo went back to " + name + ", which was open before; Ctrl+Shift+Z returns."
              : "Redo went on to " + name + ", which was open after it; Ctrl+Z goes back.");
}

bool UndoSteps::has_model_behind() const {
  return !space_.document.within.read() &&
         std::ranges::any_of(space_.history.past(),
                             [](const History::Step& step) { return bool(step.document.within.read()); });
}

void UndoSteps::go_back_to_model() {
  if (!has_model_behind()) return;
  for (std::size_t left = space_.history.depth() + 1; left > 0 && !space_.document.within.read(); --left)
    step(-1);
  coming_.reset();  // its look may be of another page
  space_.view.mode = Mode::Model;
}

/// In a model, everything computed comes with the model's next reading; until then the layer on screen stays.
void UndoSteps::bring_back(Document said) {
  if (said.within.read()) {
    Document shown = space_.document;
    shown.precision = said.precision;
    shown.loss = said.loss;
    shown.within = said.within;
    said = space_.models.with_shown_block(std::move(shown));
  }
  space_.document = std::move(said);
}

void UndoSteps::look_when_computed() {
  if (!coming_) return;
  if (space_.history.recorded() != coming_->steps) return coming_.reset();  // another step was recorded since
  if (!space_.shown.result || space_.shown.result->document != space_.document) return;
  // Until the model has read the restored text, the layer is that of the other text: a cell outside of it
  // would be lost.
  if (!space_.models.is_up_to_date(space_.document) || held_.is_expecting()) return;
  const HeldThenPtr held = std::exchange(coming_->held, nullptr);
  if (!space_.view_as(coming_->look) && held) held_.bring_back(held);
  if (!held_.is_expecting()) coming_.reset();
}

void UndoSteps::await(const Viewing& look) { coming_ = ComingStep{look, space_.history.recorded()}; }

void UndoSteps::observe(bool is_on_its_way, bool is_generating) {
  KeyboardState& keyboard = space_.view.keyboard;
  const std::uint64_t steps = space_.history.recorded();
  space_.view.files->model_behind = has_model_behind();
  // History begins with the file that the window was started with: the picture shown before it is no step.
  if (is_on_its_way && space_.history.recorded() == 0 && space_.history.depth() == 0 && !space_.is_edited())
    return;
  const std::optional<HeldThen> held = held_.now();
  space_.history.holds(held ? &*held : nullptr);
  space_.history.belong_to(space_.origin);
  space_.history.observe(
      what_is_said(space_.document), space_.viewing(),
      {ImGui::IsAnyItemActive() || keyboard.takes_words || is_generating, has_acted(), has_pressed()},
      space_.view.now);
  if (!keyboard.pressed.name.empty() && space_.history.recorded() != steps) {
    keyboard.notice = std::move(keyboard.pressed);
    keyboard.notice.until = ImGui::GetTime() + told_for;
  }
  keyboard.pressed = {};
}

}  // namespace attnscope
