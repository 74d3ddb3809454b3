// app/views/long: the view of a Document too long to store its weights: pooled pictures and exact tiles. The
// parts of the view and their shared functions.
#pragma once

#include "app/results/tiles.hpp"
#include "app/scene/scene.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/parts/map_frame.hpp"

namespace attnscope {

/// The survey of the shown sequence; scene.result must be long.
const Survey& survey_of(const Shown&);
/// The scale of a head's weights: from 0 to the end of the range mode (All: 1), or to locked ends. If
/// logarithmic, from 1e−5 of the upper end on.
ColourScale long_scale(const Scene&, std::int64_t h);
/// The scale of A − B: centred on zero, up to the largest difference of the head's pictures or to locked
/// ends. `level`: of the shown cells.
ColourScale long_difference_scale(const Scene&, std::int64_t h, int level);
/// One scale for both sides of a comparison.
ColourScale long_scale_of_both(const Scene& a, const Scene& b, std::int64_t h);

/// The side that the map of Explore shows; A while nothing is held.
LongSide long_side(const Scene&);
/// One sentence that says why the cells of A and B do not correspond; empty if they do or nothing is held.
std::string why_no_long_difference(const Shown&);
/// Whether A − B can be shown.
bool has_long_difference(const Shown&);
/// Whether the map of Explore shows A − B.
bool shows_long_difference(const Scene&);
/// Whether the cell is masked; of A − B: masked in both.
bool is_hidden_in(const Shown&, bool difference, std::int64_t h, Cell);
inline constexpr float least_log_weight = 1e-5f;  // as a share of the upper end

/// The level of a picture's cells if a token takes `side` device pixels: a cell has 2^level queries and keys,
/// at least one pixel.
int level_for(float side);

/// A head or a part of it, drawn into the box.
struct LongPicture {
  const char* place;
  Box box;
  std::int64_t h = 0;
  Part part;
  bool difference = false;                // the cells of A − B instead of those of A
  std::optional<ColourScale> scale = {};  // instead of its own
};
/// Drawn from tiles, and where they are missing from the survey's picture; missing tiles are requested. A − B
/// of pooled cells is the difference of their means or of their largest weights. Returns the level of the
/// cells.
int draw_long_picture(Scene&, const LongPicture&);

/// The exact weight of a cell, or its A − B; nothing while the tile is not computed. Requests the tile.
std::optional<float> weight_at(Scene&, bool difference, std::int64_t h, Cell);

/// The list of the head's strong lines, a section of the controls; a click chooses a cell on the line.
void strong_lines_section(Column&);
/// Draws the line that is hovered in the list on the map.
void draw_hovered_line(const MapFrame&);

/// Entropy of the queries in sight at the right, and attention received by the keys in sight below, on a
/// logarithmic scale: least, mean and largest value of each pixel; of A − B also the mean of B.
void draw_long_strips(const MapFrame&, float width, bool difference);
/// Entropy of all queries along the box: least, mean and largest value of each pixel, and the means of `b` if
/// it is not null.
void draw_entropy_of_queries(const Scene& a, const Scene* b, const Box&);

/// The colour bar: the ramp with its true ends, which can be dragged, and the choice of the range.
void draw_long_bar(Scene&, const Box& area, const Box& cells, const ColourScale&);

/// One map of a head: all of it or a part, down to single cells with their numbers.
struct LongMap {
  Box area;  // with its labels and strips
  bool difference = false;
  bool strips = true;
  const char* name = "long map";          // the ID of the area that takes the mouse, and of the picture
  std::optional<ColourScale> scale = {};  // instead of its own
  bool leads = true;                      // sets LongState to the part it shows, and serves zoom requests
};
struct DrawnLongMap {
  Box cells;
  int level = 0;
  ColourScale scale;
};
/// Draws the map; nothing if there is no room for a cell.
std::optional<DrawnLongMap> draw_one_long_map(Scene&, const LongMap&);
/// "largest weight in each 32 × 32 block · of every 8th query so far".
std::string what_is_pooled(const Shown&, bool mean, int level);
/// The choice of largest or mean; returns its left end.
float draw_pool_choice(Scene&, float right, float y);

void draw_long_map(Scene&, const Box& region);
void draw_long_controls(Scene&, const Box& region);
void draw_long_side(Scene&, const Box& region);

/// The cell with the largest weight among the known rows in sight whose query may see at least 16 keys;
/// nothing if there is none.
std::optional<Cell> strongest_visible(const Shown&, const MapFrame&);
/// The next key after the chosen one, wrapping round, whose token is `text`; nothing if there is none. A
/// number is a place: "1204" a query, "27353, 15066" query and key, clamped to the text.
std::optional<Cell> find_place(const Scene&, const std::string& text);

}  // namespace attnscope
