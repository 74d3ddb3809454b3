// app/views/palette: everything that can be found by its name or by other names: actions, controls, plots,
// examples, exports, languages, themes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/scene/actions.hpp"
#include "app/state/regions/controls_state.hpp"

namespace attnscope {

/// One row of the palette.
struct PaletteEntry {
  std::string name;        // as it is shown, and its label; a person's own words are marked
  std::string note;        // at the right: the key, or the kind of entry
  std::string_view words;  // other names for it, in English and German
  std::function<void(Scene&)> run;
  bool is_action = false;  // listed before anything is typed
  std::string label = {};  // empty: the name
  std::string more = {};   // words made for this entry
};

/// A control of the column, and its section.
struct ControlEntry {
  std::string_view name;
  Section section;
  std::string_view title;  // of the section
  bool behind_dots;        // among the section's rarely used controls
  std::string_view label;  // of the control's widget
  std::string_view words;
};
/// Every control of the column.
std::span<const ControlEntry> control_entries();

/// An entry for one choice of a setting.
PaletteEntry choice_entry(std::string_view what, std::string_view choice, std::string_view words,
                          std::function<void(Scene&)> run);

/// All entries that are possible now, actions first.
std::vector<PaletteEntry> palette_entries(const Shown&);

/// How well an entry matches the typed text: 0 = not at all. Every typed word must be in its name, as shown
/// or in English, or among its other words. Case and accents do not matter.
int score_of(std::string_view shown_name, const PaletteEntry&, std::string_view typed);

}  // namespace attnscope
