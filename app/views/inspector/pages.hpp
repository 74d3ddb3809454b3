// app/views/inspector: the pages behind the tabs, and what they share. Each draws into its area, which may be
// scrolled, and returns the y below its last line.
#pragma once

#include <string_view>

#include "app/state/regions/inspector_state.hpp"
#include "app/views/parts/cell_facts.hpp"

namespace attnscope {

/// The cell that the inspector tells of: the chosen one while it is pinned, else the one in sight.
CellPlace inspected_place(const Scene&);
/// The page after this one, and whether the card is pinned: to the cell the mouse is on, if it is on one.
void show_next_page(Scene&);
void toggle_pin(Scene&);

/// The page that is chosen, scrolled where it is longer than the box.
void draw_chosen_page(Scene&, const Box&);
/// A button that pins the inspector to the chosen cell.
void draw_pin_button(Scene&, const Box&);
std::string_view name_of(InspectorPage);
const Tip& tip_of(InspectorPage);

float draw_cell_page(Scene&, const CellPlace&, const Box&);
float draw_row_page(Scene&, const CellPlace&, const Box&);
float draw_neuron_page(Scene&, const CellPlace&, const Box&);
float draw_vector_page(Scene&, const CellPlace&, const Box&);

/// The large number at the head of a page, with the tokens it belongs to at the right. Returns its width.
enum class Tags { Query, QueryAndKey };
float draw_readout(const Scene&, const CellPlace&, const Box& line, std::string_view number, Tags);

/// The products q_d · k_d in the chosen order: as many as fit, all by scrolling, the others as a sum. Returns
/// the y below.
float draw_products(Scene&, const CellPlace&, const Box&);

/// Hovering a row of a key previews its cell of the query, a click locks it.
void point_at_key(Scene&, const CellPlace&, std::int64_t key, const Ui::Touch&);
/// A score in a column: two places while it is small.
std::string score_text(double);

/// A small area that says `text` and can be clicked, underlined while it is hovered.
bool link(const Ui&, const char* label, const Box&, std::string_view text, const Tip&);

/// Height of the line of the readout and of a page's second line.
inline constexpr float readout_height = 42, words_height = 22;

}  // namespace attnscope
