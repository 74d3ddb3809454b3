// app/views/inspector: the pages of the tabs and their shared parts. Each draws into its area, which may be
// scrolled, and returns the y below its last line.
#pragma once

#include <string_view>

#include "app/state/regions/inspector_state.hpp"
#include "app/views/parts/cell_facts.hpp"

namespace attnscope {

/// The cell that the inspector shows: the chosen one while it is pinned or an operand is edited, else the
/// previewed one.
CellPlace inspected_place(const Scene&);
/// Switch to the next page; pin the inspector, to the cell under the mouse if there is one, or unpin it.
void show_next_page(Scene&);
void toggle_pin(Scene&);

/// The chosen page; it scrolls if it is longer than the box.
void draw_chosen_page(Scene&, const Box&);
/// The button that pins the inspector to the chosen cell.
void draw_pin_button(Scene&, const Box&);
std::string_view name_of(InspectorPage);
const Tip& tip_of(InspectorPage);

float draw_cell_page(Scene&, const CellPlace&, const Box&);
float draw_row_page(Scene&, const CellPlace&, const Box&);
float draw_neuron_page(Scene&, const CellPlace&, const Box&);
float draw_vector_page(Scene&, const CellPlace&, const Box&);

/// The large number at the head of a page, with its tokens at the right. Returns its width.
enum class Tags { Query, QueryAndKey };
float draw_readout(const Scene&, const CellPlace&, const Box& line, std::string_view number, Tags);

/// The products q_d · k_d in the chosen order: as many as fit, the rest by scrolling; the sum of those out of
/// sight. Returns the y below.
float draw_products(Scene&, const CellPlace&, const Box&);

/// Mouse on the row of a key: hovering previews the cell of the query and this key, a click locks it.
void point_at_key(Scene&, const CellPlace&, std::int64_t key, const Ui::Touch&);
/// A score in a column: two decimal places below 1e4.
std::string score_text(double);

/// A clickable text, underlined while it is hovered. Returns true when it is clicked.
bool link(const Ui&, const char* label, const Box&, std::string_view text, const Tip&);

/// Height of the line of the readout and of a page's second line.
inline constexpr float readout_height = 42, words_height = 22;

}  // namespace attnscope
