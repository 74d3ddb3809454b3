// app/kit/widgets: numbers that are edited where they stand. A click types into one, Alt and a drag up or
// down scrubs it (0.01 per pixel, with Ctrl 0.001), a double click resets it, a right click offers what can
// be done to its row. Enter, Tab and the arrows up and down move on, Esc leaves the field; what was typed
// stays, and undo takes it back. While a number is scrubbed Esc gives it back. The widget knows nothing of
// Documents: it is given where the numbers stand and says what to do to them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/kit/ui/ui.hpp"
#include "app/kit/widgets/widgets.hpp"

namespace attnscope {

/// A number's place in its grid.
struct NumberAt {
  std::int64_t row = 0, column = 0;
  bool operator==(const NumberAt&) const = default;
};

/// The one number in the window that is being edited, and the row that was copied last. Kept by the caller
/// from frame to frame; one for the whole window.
struct NumberEditing {
  std::string grid;  // label of the grid it belongs to; empty: none is edited
  NumberAt at;
  bool typing = false, scrubbing = false, menu = false;
  bool begun = false;       // the text field has had the keyboard
  std::string text;         // what is typed
  float start = 0;          // what the number was, for Esc
  float value = 0;          // what it was set to last: the picture may be behind
  double since = 0;         // when typing began
  std::uint64_t count = 0;  // numbers that were begun so far: tells this one from the one before
  std::vector<float> row;   // the copied row; empty: none

  bool is(const char* label) const { return grid == label; }
};

struct NumberStretch {
  std::int64_t begin = 0, end = 0;
};

/// Numbers side by side that are edited alike: a matrix, or one row of operands. Functions are called only
/// for numbers within rows and columns.
struct NumberGrid {
  const char*
      label;  // unique: what takes the mouse; the field is "##label: type ROW COLUMN", the list "label: row"
  Box area;   // the whole of it, device pixels
  std::int64_t rows = 1, columns = 1;
  std::function<Box(NumberAt)> box_of;
  std::function<std::optional<NumberAt>(ImVec2)> under;  // which number stands at a point of the area
  std::function<float(NumberAt)> value;
  /// What it is called, and what the tooltip adds: the formula, or why it cannot be edited here and what to
  /// edit instead.
  std::function<std::string(NumberAt)> name;
  std::function<Tip(NumberAt)> tip;
  std::function<bool(NumberAt)> can_edit = [](NumberAt) { return true; };
  /// The columns that what is done to a row is done to, begin and end: those of one head; empty: all of them.
  std::function<NumberStretch(NumberAt)> stretch = {};
  std::function<bool(NumberAt)> can_reset = [](NumberAt) { return true; };  // it has something to go back to
  bool can_edit_rows = true;                                                // the list of a right click
};

/// What to do to the numbers.
struct NumberEvent {
  enum class Kind {
    Set,      // the number becomes `value`: comes with every keystroke and every pixel
    Restore,  // the number becomes `value` again: Esc
    Reset,    // the number, as it was made
    ResetRow,
    Zero,      // the row becomes zeros
    OneHot,    // 1 here, 0 elsewhere in the row
    Noise,     // the row becomes random numbers
    PasteRow,  // the row becomes NumberEditing::row, as many as fit
  };
  Kind kind;
  NumberAt at;
  float value = 0;
  NumberStretch stretch;  // the columns of the row that are meant
};

struct NumberGridResult {
  Ui::Touch touch;                  // a drag is no click
  std::optional<NumberAt> hovered;  // under the mouse
  std::optional<NumberEvent> event;
};

/// Takes mouse and keyboard of the grid and draws the field that is typed into; the numbers themselves are
/// drawn by the caller, before.
NumberGridResult number_grid(const Ui&, NumberEditing&, const NumberGrid&);

/// "−0.25", "1e-3", "0,5" as a finite float; nothing while it is no number yet.
std::optional<float> typed_float(std::string_view text);
std::optional<double> typed_double(std::string_view text);

}  // namespace attnscope
