// app/state: which widgets have the keyboard and what the last key did. No session keeps it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/kit/ui/ui.hpp"

namespace attnscope {

/// The groups of widgets that F6 cycles through, in the order of Tab.
enum class Stop : std::uint8_t { Sentence, Controls, Heads, Focus, Inspector, Signals, TopBar };
inline constexpr int stop_count = 7;

/// The change that a single key has just made: the status line names it for a while and says how to undo it.
struct KeyNotice {
  std::string_view name;  // of the action, or a sentence; empty: no notice
  std::string key;        // the pressed key
  bool can_undo = true;
  double until = 0;  // shown up to this ImGui::GetTime()
};

/// The token strip: its text fields, and which chips are in sight.
struct SentenceState {
  bool wanted = false;    // the field requests the keyboard until it has it
  bool at_end = false;    // the cursor then goes behind the last letter; else all text is selected
  int waited = 0;         // frames since the request
  bool active = false;    // the field had the keyboard in the last frame
  bool wide = false;      // has room to type: while active, and until the click that ends that is over
  std::size_t field = 0;  // index of the field meant
  // For the row of queries and the row of keys: the first chip in sight, and the chosen token that was last
  // brought into sight.
  std::array<std::int64_t, 2> first{}, followed{-1, -1};
};

struct KeyboardState {
  int turn = 0;                // F6: +1 to the next group, −1 to the one before; 0: not pressed
  std::optional<Stop> wanted;  // the group that gets the keyboard in this frame
  std::optional<Stop> now;     // the group that had it in the last frame
  KeyNotice pressed;  // the action that a single key ran in this frame; becomes `notice` if it made a step
  KeyNotice notice;
  bool takes_words = false;  // typed letters are text, even without a field: no single key runs an action
  bool was_covered = false;  // a dialog or a list was open in the last frame
  bool on_map = false;       // the map has the keyboard: arrows move the cell
  SentenceState sentence;
  Sought sought;
};

}  // namespace attnscope
