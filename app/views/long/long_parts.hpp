// app/views/long: a Document too long to keep its weights, looked at by pooled pictures and exact tiles. What
// the parts of the view share.
#pragma once

#include "app/results/tiles.hpp"
#include "app/scene/scene.hpp"
#include "app/state/long_state.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/parts/map_frame.hpp"

namespace attnscope {

/// The survey of the sequence that is shown; scene.result must be long.
const Survey& survey_of(const Shown&);
/// Of the weights of a head: 0 … 1, or its logarithm from 10⁻⁵ on, or what the range mode says.
ColourScale long_scale(const Scene&, std::int64_t h);
/// Of A − B: centred on zero, to the largest difference of the head's pictures or to locked ends; `level` of
/// the cells that are shown.
ColourScale long_difference_scale(const Scene&, std::int64_t h, int level);

/// Which side the map shows; A while nothing is held.
LongSide long_side(const Scene&);
/// One sentence that says why no cell of B stands for one of A; empty when each does.
std::string why_no_long_difference(const Shown&);
/// Whether the map shows A − B.
bool shows_long_difference(const Scene&);
/// Whether the cell is hidden in what is shown: of A − B, in both.
bool hidden_in_sight(const Scene&, std::int64_t h, Cell);
inline constexpr float least_log_weight = 1e-5f;

/// How many queries and keys a cell of the picture has to a side when a token takes `side` device pixels:
/// 2^level.
int level_for(float side);

/// One head, or the part of it that fills the box.
struct LongPicture {
  const char* place;
  Box box;
  std::int64_t h = 0;
  Part part;
  bool difference = false;  // A − B of the cells instead of those of A
};
/// From tiles where there are any and from the survey's picture elsewhere; tiles that are missing are wanted.
/// A − B of pooled cells is that of their means or of their largest weights. Returns the level of the cells
/// that it shows.
int draw_long_picture(Scene&, const LongPicture&);

/// The exact weight of a cell, or A − B of it; nothing while its tile is not there.
std::optional<float> weight_at(Scene&, std::int64_t h, Cell);
std::optional<float> difference_at(Scene&, std::int64_t h, Cell);

/// The list of the head's bright lines, a section of the controls; a click goes there.
void strong_lines_section(Column&);
/// Where the line runs that the mouse is on in the list.
void draw_hovered_line(const MapFrame&);

/// Entropy of the queries in sight at the right (least, mean, most of each pixel) and attention that the keys
/// in sight received below, on a logarithmic scale; beside A − B the mean of B as well.
void draw_long_strips(const MapFrame&, float width);

/// The ramp from left to right with its true ends, which can be dragged, and the choice of the range.
void draw_long_bar(Scene&, const Box& area, const Box& cells, const ColourScale&);

void draw_long_map(Scene&, const Box& region);
void draw_long_controls(Scene&, const Box& region);
void draw_long_side(Scene&, const Box& region);

/// Chooses the cell and brings it into sight.
void show_cell(Scene&, Cell);
/// The strongest cell among the known rows in sight, of queries that can see at least 16 keys; nothing when
/// there is none.
std::optional<Cell> strongest_in_sight(const Shown&, const MapFrame&);
/// The next key after the chosen one, round the end, whose token is the text; a number is a place: "1204", or
/// "27353, 15066" for query and key. Nothing when there is none.
std::optional<Cell> find_place(const Scene&, const std::string& text);

}  // namespace attnscope
