// app/kit/widgets: AttnScope's own controls, drawn on Dear ImGui's input. Each takes its box in device
// pixels, is found by the robot by its label, can be reached by keyboard, and shows a tooltip with formula
// and shortcut.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/kit/ui/ui.hpp"
#include "app/kit/widgets/tip.hpp"

namespace attnscope {

/// What a tip must not cover: the box it explains, or in a matrix also the cell's row and column.
enum class Clear { OfBox, OfRowAndColumn };
/// Shows the tip after `hovered` has held for a moment: beside the box, else below or above it, never over
/// it.
void tooltip(const Ui&, bool hovered, const Box& near, const Tip&, Clear clear = Clear::OfBox);
/// Call after a key has opened something: no tip is shown over it until the mouse moves.
void rest_tips();
/// The box of a tip of that size on the screen.
Box place_of_tip(ImVec2 screen, const Box& near, ImVec2 size, float gap, Clear clear);

/// A switch with its label; the whole row takes clicks. True if it was turned. One that is not `enabled` is
/// grey and cannot be turned; its tip says why.
bool toggle(const Ui&, const char* label, std::string_view shown, const Box& row, bool on, const Tip&,
            bool enabled = true);

/// A choice of one of two to five. Returns the newly chosen index, or nothing. A segment's own label is
/// "label: name".
struct SegmentsStyle {
  float text_size = type::label;
  unsigned disabled = 0;  // bit i: segment i cannot be chosen now; its tip says why
};
/// The width at which no name is cut.
float segments_width(const Ui&, std::span<const std::string_view> names, float text_size);
std::optional<int> segments(const Ui&, const char* label, const Box&, std::span<const std::string_view> names,
                            int chosen, std::span<const Tip> tips = {}, SegmentsStyle style = {});

/// A knob on a track: label left, read-out right (a click on it types a number). Logarithmic when `log`.
struct SliderRange {
  float low, high;
  float rest;  // the default: a tick below the track; double-click goes there
  bool log = false;
};
std::optional<float> slider(const Ui&, const char* label, std::string_view shown, std::string_view read_out,
                            const Box& row, float value, SliderRange range, bool moved, const Tip&);

/// Called in every frame while a number is typed; true if nothing can be computed with it. Empty: the typed
/// text is not a number.
using RefusesTyped = std::function<bool(std::optional<std::int64_t>)>;
/// − value +; the value can be typed. The parts are labelled "label less", "label value", "label more".
/// `next` gives the value one step up (+1) or down (−1); `read_out` replaces the number. `wrong`: nothing can
/// be computed with the number, which is drawn red. A typed number is red at once if `refuses` returns true;
/// it counts at Return, or when a click or Tab leaves the field, since "1" on the way to "128" would discard
/// heads and edited numbers. Esc keeps the value.
std::optional<std::int64_t> stepper(const Ui&, const char* label, const Box&, std::int64_t value,
                                    const std::function<std::int64_t(int)>& next, const Tip&,
                                    std::string_view read_out = {}, bool wrong = false,
                                    const RefusesTyped& refuses = {});

/// Call right after ImGui::BeginChild: the child scrolls to the number (logical pixels) if the caller changed
/// it, else the number follows the child.
void keep_scroll(const Ui&, float& logical);

/// A field that opens a list. `rows` fills the list between ImGui::BeginPopup and EndPopup with menu_row().
void drop(const Ui&, const char* label, const Box&, std::string_view shown, const Tip&,
          const std::function<void()>& rows);
/// The field alone, without a list; true if it was clicked. It looks pressed while the popup of the same
/// label is open.
bool drop_box(const Ui&, const char* label, const Box&, std::string_view shown, const Tip&);
/// The list alone, below or above a box that the caller has drawn; ImGui::OpenPopup(label) opens it.
void drop_list(const Ui&, const char* label, const Box&, const std::function<void()>& rows);
/// One row of a list; true when chosen.
bool menu_row(const Ui&, const char* label, std::string_view note = {}, bool chosen = false);
/// A title line above the rows.
void menu_title(const Ui&, std::string_view title);
/// The same list at the mouse, for a right click; it shows from ImGui::OpenPopup(label) on.
void context_menu(const Ui&, const char* label, const std::function<void()>& rows);

/// `shown`: the text on the button if it is not the label.
bool button(const Ui&, const char* label, const Box&, const Tip&, std::string_view shown = {});

/// Editable single-line text; true on every keystroke that changed it. Esc leaves the field and keeps what
/// was typed. `accent` outlines it as the chosen one.
bool text_field(const Ui&, const char* label, const Box&, std::string& text, std::string_view placeholder,
                bool accent = false);

/// A text field for a path relative to `folder`; Tab completes it. True if Enter was pressed. `to_end`: once,
/// the cursor goes behind the text, for typing on, instead of all of it being selected.
bool path_field(const Ui&, const char* label, const Box&, std::string& text, std::string_view placeholder,
                const std::filesystem::path& folder = ".", bool* to_end = nullptr);

/// A round-cornered tag with text, such as a head's badge.
void badge(const Ui&, const Box&, std::string_view text, Rgba ground, Rgba ink, float size = type::tick);

/// The head of a foldable section: title left, its value right. True when it was clicked.
bool section_header(const Ui&, const char* label, const Box& row, std::string_view note, bool open);

}  // namespace attnscope
