#include "app/scene/actions.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include <imgui_internal.h>

#include "app/kit/widgets/widgets.hpp"
#include "app/scene/page_facts.hpp"
#include "app/scene/scene.hpp"
#include "app/state/model_look.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {
namespace {

ImGuiKey plain_key(ImGuiKeyChord key) { return static_cast<ImGuiKey>(key & ~ImGuiMod_Mask_); }
/// Keys that move between controls and press them.
bool is_for_controls(ImGuiKeyChord key) {
  return (key >= ImGuiKey_LeftArrow && key <= ImGuiKey_DownArrow) || key == ImGuiKey_Space ||
         key == ImGuiKey_Enter;
}

bool is_arrow(ImGuiKeyChord key) { return key >= ImGuiKey_LeftArrow && key <= ImGuiKey_DownArrow; }

/// Whether the key types a letter, a digit or a punctuation mark.
bool is_character(ImGuiKeyChord key) {
  const ImGuiKey plain = plain_key(key);
  if ((key & (ImGuiMod_Ctrl | ImGuiMod_Alt | ImGuiMod_Super)) != 0) return false;
  return (plain >= ImGuiKey_0 && plain <= ImGuiKey_Z) ||
         (plain >= ImGuiKey_Apostrophe && plain <= ImGuiKey_GraveAccent);
}

/// Page up and down, Home, End and Backspace.
bool is_jump(ImGuiKeyChord key) {
  const ImGuiKey plain = plain_key(key);
  return (plain >= ImGuiKey_PageUp && plain <= ImGuiKey_End) || plain == ImGuiKey_Backspace;
}

/// Keys that also work while the user types, as no text field uses them.
bool works_while_typing(ImGuiKeyChord key) {
  const ImGuiKey plain = plain_key(key);
  if (plain >= ImGuiKey_F1 && plain <= ImGuiKey_F12) return true;
  return (key & ImGuiMod_Ctrl) != 0 &&
         (plain == ImGuiKey_K || plain == ImGuiKey_S || plain == ImGuiKey_O || plain == ImGuiKey_L);
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
    case Action::Group::Compare: return "Compare";
    case Action::Group::Watch: return "Watch";
    case Action::Group::Lessons: return "Lessons";
    case Action::Group::Experiments: return "Experiments";
    case Action::Group::Training: return "Training";
    case Action::Group::Presenter: break;
  }
  return "Presenter";
}

std::string key_name(ImGuiKeyChord key) {
  if (key == 0) return {};
  std::string name;
  if ((key & ImGuiMod_Ctrl) != 0) name += inner("Ctrl+");
  if ((key & ImGuiMod_Shift) != 0) name += inner("Shift+");
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
    case ImGuiKey_Escape: return name + inner("Esc");
    default: return name + inner(ImGui::GetKeyName(plain_key(key)));
  }
}

bool is_possible(const Action& action, const Shown& shown) {
  return !(action.needs_scores && shown.result.is_long());
}

bool is_key_of_action(ImWchar letter, Mode mode, bool is_long) {
  const auto chord_of = [](ImWchar c) -> ImGuiKeyChord {
    if (c >= 'a' && c <= 'z') return ImGuiKey_A + static_cast<int>(c - 'a');
    if (c >= 'A' && c <= 'Z') return ImGuiMod_Shift | (ImGuiKey_A + static_cast<int>(c - 'A'));
    return 0;
  };
  const ImGuiKeyChord chord = chord_of(letter);
  const auto all = actions();
  return chord != 0 && std::any_of(all.begin(), all.end(), [&](const Action& action) {
           return action.key == chord && (!action.only || *action.only == mode) &&
                  !(action.needs_scores && is_long);
         });
}

namespace {

/// Punctuation marks that some layouts have on other keys than the American one, or behind AltGr: the typed
/// character counts, unless its own key is down, which runs the action itself.
bool is_typed_elsewhere(ImGuiKeyChord key) {
  constexpr std::array<std::pair<ImGuiKey, char>, 6> marks{{{ImGuiKey_Comma, ','},
                                                            {ImGuiKey_Period, '.'},
                                                            {ImGuiKey_Slash, '/'},
                                                            {ImGuiKey_Backslash, '\\'},
                                                            {ImGuiKey_LeftBracket, '['},
                                                            {ImGuiKey_RightBracket, ']'}}};
  for (const auto& [own_key, mark] : marks) {
    if (own_key != key || ImGui::IsKeyDown(own_key) || ImGui::IsKeyReleased(own_key)) continue;
    for (const ImWchar c : ImGui::GetIO().InputQueueCharacters)
      if (c == static_cast<ImWchar>(mark)) return true;
  }
  return false;
}

bool is_pressed(const Action& action, const KeyboardState& keyboard) {
  const ImGuiIO& io = ImGui::GetIO();
  const ImGuiInputFlags flags = ImGuiInputFlags_RouteGlobal | (action.repeats ? ImGuiInputFlags_Repeat : 0);
  const auto can_be = [&](ImGuiKeyChord key) {
    if (key == 0 || (io.WantTextInput && !works_while_typing(key))) return false;
    if (keyboard.takes_words && (is_character(key) || is_for_controls(key))) return false;
    // During keyboard navigation these keys move between controls and press them, except that arrows move the
    // cell of a focused map.
    return !is_for_controls(key) || !io.NavVisible || (keyboard.on_map && is_arrow(key));
  };
  const auto pressed = [&](ImGuiKeyChord key) { return can_be(key) && ImGui::Shortcut(key, flags); };
  if (pressed(action.key) || (can_be(action.key) && is_typed_elsewhere(action.key))) return true;
  return std::any_of(action.also.begin(), action.also.end(), pressed);
}

bool is_on_key(const Action& action, ImGuiKeyChord key) {
  return action.key == key || std::ranges::find(action.also, key) != action.also.end();
}

/// Whether in presenter mode the action's letter belongs to the presenter; keys of the page that move
/// something stay the page's.
bool is_letter_of_presenter(const Action& action) {
  if (!action.only || !is_character(action.key)) return false;
  const PageFacts* const page = page_facts_of(*action.only);
  return page != nullptr && page->leaves_letters_to_presenter;
}

/// Whether the action's key does something else now. On pages (lessons, experiments …) and in presenter mode
/// plain keys run only their own actions: a letter typed by accident changes nothing.
bool is_taken(const Action& action, const ViewState& view) {
  const bool presents = view.presenter->on;
  if (action.group == Action::Group::Presenter && action.key != ImGuiKey_F5) return !presents;
  // On the Watch page plain keys run its own actions alone; the Document behind it stays unchanged.
  const bool watches = is_watching(view);
  if (action.group == Action::Group::Watch) return !watches || presents;
  if (watches && action.group != Action::Group::Regions &&
      (is_character(action.key) || is_for_controls(action.key) || is_jump(action.key)))
    return true;
  if (action.only) return presents && (!is_page(*action.only) || is_letter_of_presenter(action));
  const bool plain = is_character(action.key) || is_for_controls(action.key);
  if ((presents || is_page(view.mode)) && plain) return true;
  return std::ranges::any_of(actions(), [&](const Action& other) {
    return other.only == view.mode && is_on_key(other, action.key);
  });
}

/// Ctrl+L closes a list and goes to the sentence; in a dialog that key has another meaning.
bool leaves_list() {
  if (ImGui::GetTopMostPopupModal() != nullptr) return false;
  if (!ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_L, ImGuiInputFlags_RouteGlobal)) return false;
  ImGui::ClosePopupsExceptModals();
  return true;
}

/// What the key has just done, in words; for L the present kind of colours.
std::string_view words_of_key(const Action& action, const ViewState& view) {
  const bool was_logarithm = action.key == ImGuiKey_L && !action.only && !focus_of(view).log;
  return was_logarithm ? std::string_view("Colours by the weight itself") : action.name;
}

/// Lessons and Training do not use ↑ and ↓. Dear ImGui would focus a control with them, and Space would then
/// press it instead of going to the next step, or of training. After Tab they do move between controls.
void keep_unused_arrows(const ViewState& view) {
  const PageFacts* const page = page_facts_of(view.mode);
  const bool leaves_them =
      page != nullptr && page->leaves_up_and_down != nullptr && page->leaves_up_and_down(view);
  if (!leaves_them || ImGui::GetIO().NavVisible) return;
  for (const ImGuiKey key : {ImGuiKey_UpArrow, ImGuiKey_DownArrow})
    ImGui::SetKeyOwner(key, ImGui::GetCurrentFocusScope());
}

/// The page under the mouse, which a key may replace.
auto opened_page(const ViewState& view) {
  return std::tuple(view.mode.name, model_look_of(view).screen, view.presenter->on,
                    inspector_of(view).expanded);
}

}  // namespace

void run_keyboard(Scene& scene) {
  const bool is_covered = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  // A closed dialog or list uncovers widgets under a mouse that did not move: no tooltip yet.
  if (std::exchange(scene.view.keyboard.was_covered, is_covered) && !is_covered) rest_tips();
  if (is_covered && !leaves_list()) return;
  const Mode mode = scene.view.mode;  // only actions of the mode at the frame's begin run
  const auto page = opened_page(scene.view);
  keep_unused_arrows(scene.view);
  for (const Action& action : actions()) {
    if (action.key == 0 || (action.only && *action.only != mode) || !is_possible(action, scene)) continue;
    if (is_taken(action, scene.view) || !is_pressed(action, scene.view.keyboard)) continue;
    action.run(scene);
    if (is_character(action.key))
      scene.view.keyboard.pressed = {words_of_key(action, scene.view), key_name(action.key), true, 0};
  }
  if (opened_page(scene.view) != page) rest_tips();
}

}  // namespace attnscope
