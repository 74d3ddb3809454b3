// app/pages/model: shared by the page's screens: the places of their regions, the choice of screens, sections
// of the controls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/pages/model/state/model_state.hpp"
#include "app/scene/picture.hpp"
#include "app/scene/scene.hpp"
#include "app/state/regions/layout.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/model/parts.hpp"

namespace attnscope {

/// The places of the regions, device pixels; empty without room.
struct ModelRegions {
  Box controls, grid, head, stream, prediction;
};
ModelRegions model_regions(const Ui&, const Box& whole, bool compact, const ViewState&);
/// Lets the edges between the regions take the mouse; call it before drawing the regions. Returns the lines
/// to draw on top of them afterwards.
std::vector<SplitterLine> drag_model_splitters(const Ui&, const ModelRegions&, ViewState&);
/// The list's part of a region, at its right; empty without room.
Box list_part(const Scene&, const Box& area);

/// Shows the screen, or all heads if it is shown already. Without a model a notice says so.
void toggle_screen(Scene&, ModelScreen);
/// "Heads | Groups | Atlas | …" at the right end of a title's line. Returns its left end.
float draw_screen_choice(Scene&, const Box& line);
/// Draws background, title, note, choice of screens and a colour bar for `scale`, if given; returns the rest
/// of the region.
Box begin_screen_region(Scene&, const Box& region, std::string_view title, std::string_view note,
                        const ColourScale* scale, std::string (*written)(double));

/// Sections of the controls.
void model_section(Column&);
void text_section(Column&);
void changes_section(Column&);
void colours_section(Column&);
void layer_section(Column&);

}  // namespace attnscope
