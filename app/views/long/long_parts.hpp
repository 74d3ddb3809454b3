// app/views/long: a Document too long to keep its weights, looked at by pooled pictures and exact tiles. What
// the parts of the view share.
#pragma once

#include "app/results/tiles.hpp"
#include "app/scene/scene.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/parts/map_frame.hpp"

namespace attnscope {

/// The survey of the sequence that is shown; scene.result must be long.
const Survey& survey_of(const Shown&);
/// Of the weights of a head: 0 … 1, or its logarithm from 1e−5 on, or what the range mode says.
ColourScale long_scale(const Scene&, std::int64_t h);
/// Of A − B: centred on zero, to the largest difference of the head's pictures or to locked ends; `level` of
/// the cells that are shown.
ColourScale long_difference_scale(const Scene&, std::int64_t h, int level);
/// Of two sides of a comparison: one range for both.
ColourScale long_scale_of_both(const Scene& a, const Scene& b, std::int64_t h);

/// Which side the map of Explore shows; A while nothing is held.
LongSide long_side(const Scene&);
/// One sentence that says why no cell of B stands for one of A; empty when each does.
std::string why_no_long_difference(const Shown&);
/// Whether there is an A − B.
bool has_long_difference(const Shown&);
/// Whether the map of Explore shows it.
bool shows_long_difference(const Scene&);
/// Whether the cell is hidden; of A − B, in both.
bool is_hidden_in(const Shown&, bool difference, std::int64_t h, Cell);
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
  bool difference = false;                // A − B of the cells instead of those of A
  std::optional<ColourScale> scale = {};  // instead of its own
};
/// From tiles where there are any and from the survey's picture elsewhere; tiles that are missing are wanted.
/// A − B of pooled cells is that of their means or of their largest weights. Returns the level of the cells
/// that it shows.
int draw_long_picture(Scene&, const LongPicture&);

/// The exact weight of a cell, or A − B of it; nothing while its tile is not there.
std::optional<float> weight_at(Scene&, bool difference, std::int64_t h, Cell);

/// The list of the head's strong lines, a section of the controls; a click goes there.
void strong_lines_section(Column&);
/// Where the line runs that the mouse is on in the list.
void draw_hovered_line(const MapFrame&);

/// Entropy of the queries in sight at the right (least, mean, most of each pixel) and attention that the keys
/// in sight received below, on a logarithmic scale; beside A − B the mean of B as well.
void draw_long_strips(const MapFrame&, float width, bool difference);
/// Entropy of all queries along the box: least, mean and most of each pixel, and the means of B where it is
/// given.
void draw_entropy_of_queries(const Scene& a, const Scene* b, const Box&);

/// The ramp from left to right with its true ends, which can be dragged, and the choice of the range.
void draw_long_bar(Scene&, const Box& area, const Box& cells, const ColourScale&);

/// One map: a head whole or in part, down to single cells with their numbers.
struct LongMap {
  Box area;  // with its labels and strips
  bool difference = false;
  bool strips = true;
  const char* name = "long map";          // of what takes the mouse, and of the picture
  std::optional<ColourScale> scale = {};  // instead of its own
  bool leads = true;                      // what it shows is where the person is
};
struct DrawnLongMap {
  Box cells;
  int level = 0;
  ColourScale scale;
};
/// Nothing where there is no room for a cell.
std::optional<DrawnLongMap> draw_one_long_map(Scene&, const LongMap&);
/// "largest weight in each 32 × 32 block, of every 8th query so far".
std::string what_is_pooled(const Shown&, bool mean, int level);
/// Largest or mean; returns where the choice begins.
float draw_pool_choice(Scene&, float right, float y);

void draw_long_map(Scene&, const Box& region);
void draw_long_controls(Scene&, const Box& region);
void draw_long_side(Scene&, const Box& region);

/// The strongest cell among the known rows in sight, of queries that can see at least 16 keys; nothing when
/// there is none.
std::optional<Cell> strongest_in_sight(const Shown&, const MapFrame&);
/// The next key after the chosen one, round the end, whose token is the text; a number is a place: "1204", or
/// "27353, 15066" for query and key. Nothing when there is none.
std::optional<Cell> find_place(const Scene&, const std::string& text);

}  // namespace attnscope
