// app/scene: everything a key does, in one table. The palette, the help page and the tests read the same
// table; tooltips name the same keys.
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
  std::string_view name;  // as a person calls it
  ImGuiKeyChord key;      // 0: only in the palette
  void (*run)(Scene&);
  bool repeats = false;                    // while the key is held
  std::optional<Mode> only = {};           // the key does this in one mode only
  bool needs_scores = true;                // does nothing for a long result, whose scores are not kept
  std::array<ImGuiKeyChord, 2> also = {};  // further keys for the same: other keyboards, the keypad
  std::string_view id = {};  // the same in every language and version; empty: it has none so far
  /// Of a page's action in a group of others: the name of the one above it; empty: it is the last.
  std::string_view behind = {};
};

std::span<const Action> actions();
/// Whether an action can be run now.
bool is_possible(const Action&, const Shown&);
/// "File", "Edit", "Attention", …
std::string_view name_of(Action::Group);
/// "Ctrl+K", as tooltips and the palette write it; empty for no key.
std::string key_name(ImGuiKeyChord key);

/// Whether a letter that is typed would run an action now: "s", or "M" for Shift+M.
bool is_key_of_action(ImWchar letter, Mode mode, bool is_long);
/// What else a person may call an action, in English and German; empty where nothing.
std::string_view other_words_for(const Action&);

/// Ctrl+K: opens the list of all actions; draw_palette() shows it.
void open_palette(Scene&);
void draw_palette(Scene&);

/// Runs the actions whose keys were pressed. While text is typed the plain keys belong to the text, while a
/// list is open all of them to the list; while the keyboard walks through the controls the arrows
/// and the space bar do.
void run_keyboard(Scene&);

}  // namespace attnscope
