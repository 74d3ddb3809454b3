// app/state: where the keyboard is and what it has just done. Of the moment: no session keeps it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/kit/ui/ui.hpp"

namespace attnscope {

/// The groups of widgets that F6 goes round, in the order in which Tab comes through them.
enum class Stop : std::uint8_t { Sentence, Controls, Heads, Focus, Inspector, Signals, TopBar };
inline constexpr int stop_count = 7;

/// What a single key has just changed: the status line names it for a while, with a way back.
struct KeyNotice {
  std::string_view name;  // of the action, or a sentence; empty: nothing to tell
  std::string key;        // that was pressed
  bool can_undo = true;
  double until = 0;  // ImGui::GetTime()
};

/// The token strip: its text field, and which chips are in sight.
struct SentenceState {
  bool wanted = false;    // the field asks for the keyboard until it has it
  bool at_end = false;    // and then goes on typing behind its last letter, instead of selecting all
  int waited = 0;         // frames since it asked
  bool active = false;    // it had the keyboard in the last frame
  bool wide = false;      // it has room to type: from the first key until mouse and keyboard leave it
  std::size_t field = 0;  // of the batch, the one that is meant
  // Of the queries' and the keys' row: the first chip in sight, the chip it followed last, and what the
  // wheel still has to move.
  std::array<std::int64_t, 2> first{}, followed{-1, -1};
};

struct KeyboardState {
  int turn = 0;                // F6: to the next region, or to the one before
  std::optional<Stop> wanted;  // gets the keyboard in this frame
  std::optional<Stop> now;     // had it in the last frame
  KeyNotice pressed;           // what a single key ran in this frame, shown if it changed something
  KeyNotice notice;
  bool takes_words = false;  // letters are words now, wherever they go: no single key acts
  bool was_covered = false;  // a dialog or a list was open in the last frame
  bool on_map = false;       // the map has the keyboard: arrows move the cell
  SentenceState sentence;
  Sought sought;
};

}  // namespace attnscope
