// app/pages/lessons/parts: prose of a lesson broken into lines: strong words, formulas with superscripts and
// subscripts, computed numbers, and words that refer to an object on screen, in that object's hue.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "app/kit/ui/ui.hpp"
#include "app/lessons/lesson.hpp"

namespace attnscope {

/// Style of prose.
struct ProseStyle {
  float size = type::title;  // em, logical pixels
  float line = 23;           // from line to line, logical pixels
  Rgba colour = 0;           // of plain words
  Rgba strong = 0;           // of strong words and numbers
  Align align = Align::Left;
  Ink number = Ink::Medium;  // of numbers
};

/// What prose needs to know of the screen.
struct ProseLookUp {
  /// A number of the prose, written in its style; "…" if it cannot be computed.
  std::function<std::string(const lessons::Piece&)> number;
  /// The colour of the object that a word refers to.
  std::function<Rgba(const lessons::Anchor&)> hue;
  /// Whether the mouse points at that object on screen.
  std::function<bool(const lessons::Anchor&)> is_lit;
  /// The prose is English in any language of the window: its numbers keep the decimal point.
  bool is_english = false;
};

/// A stretch of letters of one style.
struct ProseRun {
  std::string text;
  float x = 0, width = 0;  // device pixels; x from the left end of the prose
  float y = 0;             // of its middle, from the top
  float size = 0;          // em, logical pixels
  Rgba colour = 0;
  Ink ink = Ink::Regular;
  bool computed = false;                    // a number, written in the window's language
  const lessons::Anchor* anchor = nullptr;  // into the prose
};

/// Prose set to a width: the places of its runs. Refers to the prose.
struct SetProse {
  std::vector<ProseRun> runs;
  float height = 0;  // device pixels
};
SetProse set_prose(const Ui&, const lessons::Prose&, float width, const ProseStyle&, const ProseLookUp&);

/// Draws it with its top left corner at (x, y). Returns the anchor under the mouse; null: none.
const lessons::Anchor* draw_prose(const Ui&, const SetProse&, float x, float y, const ProseLookUp&);

}  // namespace attnscope
