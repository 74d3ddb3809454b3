// app/scene: all actions of keys in one table. The palette, the help page and the tests read it; tooltips
// name the same keys.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <imgui.h>

#include "app/state/page/mode.hpp"

namespace attnscope {

struct Scene;
struct Shown;

struct Action {
  /// The headings of the help page, in its order.
  enum class Group : std::uint8_t {
    File,
    Edit,
    Attention,
    Look,
    Move,
    Regions,
    Lessons,
    Experiments,
    Training,
    Presenter,
    Walk,
    Watch,
    Compare
  };
  Group group;
  std::string_view name;  // for people
  ImGuiKeyChord key;      // 0: only in the palette
  void (*run)(Scene&);
  bool repeats = false;                    // while the key is held
  std::optional<Mode> only = {};           // the key works in this mode only
  bool needs_scores = true;                // not available for a long result, whose scores are not kept
  std::array<ImGuiKeyChord, 2> also = {};  // more keys for it: for other keyboards, or on the keypad
  std::string_view id = {};                // the same in every language and version; empty: none yet
  /// For a page's action in a group of others: the name of the action above it; empty: it comes last.
  std::string_view behind = {};
};

std::span<const Action> actions();
/// Whether an action can be run now.
bool is_possible(const Action&, const Shown&);
/// The group's heading: "File", "Edit", "Attention", …
std::string_view name_of(Action::Group);
/// "Ctrl+K", as tooltips and the palette write it; empty for no key.
std::string key_name(ImGuiKeyChord key);

/// Whether a letter that is typed would run an action now: "s", or "M" for Shift+M.
bool is_key_of_action(ImWchar letter, Mode mode, bool is_long);
/// Other names for the action, in English and German; empty if there are none.
std::string_view other_words_for(const Action&);

/// Ctrl+K: opens the list of all actions; draw_palette() shows it.
void open_palette(Scene&);
void draw_palette(Scene&);

/// Runs the actions whose keys were pressed. While text is typed, plain keys go to the text field; while a
/// list is open, all keys go to the list; while the keyboard moves through the controls, the arrows and the
/// space bar go to them.
void run_keyboard(Scene&);

}  // namespace attnscope
