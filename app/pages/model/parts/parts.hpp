// app/pages/model: what the page's screens share: where their regions stand, the choice of screens, sections
// of the controls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/pages/model/state/model_state.hpp"
#include "app/scene/picture.hpp"
#include "app/scene/scene.hpp"
#include "app/state/layout.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/model/parts.hpp"

namespace attnscope {

/// Where the regions stand, device pixels; empty where there is no room.
struct ModelRegions {
  Box controls, grid, head, stream, prediction;
};
ModelRegions model_regions(const Ui&, const Box& whole, bool compact, const ViewState&);
/// The edges between them take the mouse: before the regions are drawn. What is to be drawn on them
/// afterwards.
std::vector<SplitterLine> drag_model_splitters(const Ui&, const ModelRegions&, ViewState&);
/// The list's part of a region, at its right; empty where there is no room for it.
Box list_part(const Scene&, const Box& area);

/// The screen, or all heads where it is shown already. Says so where no model is open.
void toggle_screen(Scene&, ModelScreen);
/// "Heads | Groups | Atlas | …" at the right end of a title's line. Returns where it begins.
float draw_screen_choice(Scene&, const Box& line);
/// Ground, title with the choice of screens, and where the rest of the region is; the note ends before
/// `right`, where a colour bar stands.
Box begin_screen_region(Scene&, const Box& region, std::string_view title, std::string_view note,
                        const ColourScale* scale, std::string (*written)(double));

/// Sections of the controls.
void model_section(Column&);
void text_section(Column&);
void changes_section(Column&);
void colours_section(Column&);
void layer_section(Column&);

}  // namespace attnscope
