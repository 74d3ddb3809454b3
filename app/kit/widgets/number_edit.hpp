// app/kit/widgets: numbers that are edited in place. A click types into one, Alt and a drag up or to the
// right (down or to the left) scrubs it by 0.01 per pixel, with Ctrl 0.001, a double click resets it, a right
// click opens a list of changes to its row. Enter, Tab and the arrows up and down move on. Esc leaves the
// field; what was typed stays, and undo takes it back. While a number is scrubbed, Esc restores it. The
// widget does not know Documents: the caller passes the positions of the numbers and applies the changes.
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

/// The one number in the window that is being edited, and the row that was copied last. One for the whole
/// window; the caller keeps it from frame to frame.
struct NumberEditing {
  std::string grid;  // label of the grid it belongs to; empty: none is edited
  NumberAt at;
  bool typing = false, scrubbing = false, menu = false;
  bool begun = false;       // the text field has had the keyboard
  std::string text;         // what is typed
  float start = 0;          // the number before editing, for Esc
  float value = 0;          // the value set last: the picture may lag behind
  double since = 0;         // when typing began
  std::uint64_t count = 0;  // of edits begun so far: distinguishes an edit from the one before
  std::vector<float> row;   // the copied row; empty: none

  bool is(const char* label) const { return grid == label; }
};

struct NumberStretch {
  std::int64_t begin = 0, end = 0;
};

/// Numbers side by side that are edited alike: a matrix, or one row of operands. The functions are called
/// only for places within rows and columns.
struct NumberGrid {
  const char*
      label;  // unique: what takes the mouse; the field is "##label: type ROW COLUMN", the list "label: row"
  Box area;   // the whole of it, device pixels
  std::int64_t rows = 1, columns = 1;
  std::function<Box(NumberAt)> box_of;
  std::function<std::optional<NumberAt>(ImVec2)> under;  // which number stands at a point of the area
  std::function<float(NumberAt)> value;
  /// The number's name, and what the tooltip adds: the formula, or why it cannot be edited here and what to
  /// edit instead.
  std::function<std::string(NumberAt)> name;
  std::function<Tip(NumberAt)> tip;
  std::function<bool(NumberAt)> can_edit = [](NumberAt) { return true; };
  /// The columns, begin and end, that changes to a row apply to: those of one head; empty: all of them.
  std::function<NumberStretch(NumberAt)> stretch = {};
  std::function<bool(NumberAt)> can_reset = [](NumberAt) { return true; };  // it has something to go back to
  bool can_edit_rows = true;                                                // the list of a right click
};

/// A change for the caller to apply.
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
  NumberStretch stretch;  // the columns of the row that the change applies to
};

struct NumberGridResult {
  Ui::Touch touch;                  // a drag is not a click
  std::optional<NumberAt> hovered;  // under the mouse
  std::optional<NumberEvent> event;
};

/// Handles the mouse and the keyboard of the grid and draws the text field; the caller draws the numbers
/// themselves, before.
NumberGridResult number_grid(const Ui&, NumberEditing&, const NumberGrid&);

/// "−0.25", "1e-3", "0,5" as a finite float; empty while the text is not a number yet.
std::optional<float> typed_float(std::string_view text);
std::optional<double> typed_double(std::string_view text);

}  // namespace attnscope
