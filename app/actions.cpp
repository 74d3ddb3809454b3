#include "app/actions.hpp"

#include <string>

namespace attnscope {
namespace {

ImGuiKey plain_key(ImGuiKeyChord key) { return static_cast<ImGuiKey>(key & ~ImGuiMod_Mask_); }
/// Keys with which the keyboard walks through the controls and presses them.
bool is_for_controls(ImGuiKeyChord key) {
  return (key >= ImGuiKey_LeftArrow && key <= ImGuiKey_DownArrow) || key == ImGuiKey_Space;
}

/// Keys that no text field has a use for.
bool works_while_typing(ImGuiKeyChord key) {
  const ImGuiKey plain = plain_key(key);
  if (plain >= ImGuiKey_F1 && plain <= ImGuiKey_F12) return true;
  return (key & ImGuiMod_Ctrl) != 0 && (plain == ImGuiKey_K || plain == ImGuiKey_S || plain == ImGuiKey_O);
}

}  // namespace

std::string_view name_of(Action::Group group) {
  switch (group) {
    case Action::Group::File: return "File and help";
    case Action::Group::Edit: return "Edit";
    case Action::Group::Attention: return "Attention";
    case Action::Group::Look: return "Look";
    case Action::Group::Move: return "Move";
    case Action::Group::Regions: return "Regions";
    case Action::Group::Walk: return "Walk";
    case Action::Group::Compare: break;
  }
  return "Compare";
}

std::string key_name(ImGuiKeyChord key) {
  if (key == 0) return {};
  std::string name;
  if ((key & ImGuiMod_Ctrl) != 0) name += "Ctrl+";
  if ((key & ImGuiMod_Shift) != 0) name += "Shift+";
  switch (plain_key(key)) {
    case ImGuiKey_Comma: return name + ",";
    case ImGuiKey_Period: return name + ".";
    case ImGuiKey_Slash: return name + "/";
    case ImGuiKey_Backslash: return name + "\\";
    case ImGuiKey_LeftBracket: return name + "[";
    case ImGuiKey_RightBracket: return name + "]";
    case ImGuiKey_Equal: return name + "+";
    case ImGuiKey_Minus: return name + "\u2212";
    case ImGuiKey_UpArrow: return name + "↑";
    case ImGuiKey_DownArrow: return name + "↓";
    case ImGuiKey_LeftArrow: return name + "←";
    case ImGuiKey_RightArrow: return name + "→";
    case ImGuiKey_Escape: return name + "Esc";
    default: return name + ImGui::GetKeyName(plain_key(key));
  }
}

bool is_possible(const Action& action, const Scene& scene) {
  return !(action.needs_scores && scene.result.is_long());
}

void run_keyboard(Scene& scene) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return;
  const Mode mode = scene.view.mode;  // a key that changes it is over with this frame
  for (const Action& action : actions()) {
    if (action.key == 0 || (action.only && *action.only != mode) || !is_possible(action, scene)) continue;
    if (io.WantTextInput && !works_while_typing(action.key)) continue;
    if (is_for_controls(action.key) && io.NavVisible) continue;
    const ImGuiInputFlags flags = ImGuiInputFlags_RouteGlobal | (action.repeats ? ImGuiInputFlags_Repeat : 0);
    if (ImGui::Shortcut(action.key, flags)) action.run(scene);
  }
}

}  // namespace attnscope
