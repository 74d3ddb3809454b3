// app/views/palette: everything that can be found by its name or by what else people call it: actions,
// controls, plots, examples, what can be saved, languages, themes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/scene/actions.hpp"
#include "app/views/controls/column.hpp"

namespace attnscope {

/// One row of the palette.
struct PaletteEntry {
  std::string name;        // as it is shown, and its label; a person's own words are marked
  std::string note;        // at the right: the key, or what it is
  std::string_view words;  // what else it is called, in English and German
  std::function<void(Scene&)> run;
  bool is_action = false;  // listed before anything was typed
  std::string label = {};  // empty: the name
  std::string more = {};   // words that are made for this entry
};

/// A control of the column, and where it stands.
struct ControlEntry {
  std::string_view name;
  Section section;
  std::string_view title;  // of the section
  bool behind_dots;        // among the section's rarely used ones
  std::string_view label;  // of its widget
  std::string_view words;
};
/// Every control of the column.
std::span<const ControlEntry> control_entries();

/// The name of what is chosen, and of the choice.
PaletteEntry choice_entry(std::string_view what, std::string_view choice, std::string_view words,
                          std::function<void(Scene&)> run);

/// Everything that can be found now, actions first.
std::vector<PaletteEntry> palette_entries(const Shown&);

/// How well an entry answers what was typed: 0 = not at all. Every word that was typed must be in its name,
/// as it is shown or in English, or among its other words. Case and accents do not matter.
int score_of(std::string_view shown_name, const PaletteEntry&, std::string_view typed);

}  // namespace attnscope
