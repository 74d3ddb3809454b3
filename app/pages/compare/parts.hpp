// app/pages/compare: shared by the parts of the comparison: the two sides, their colour ranges, how a
// difference is written.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/scene/picture.hpp"
#include "app/scene/scene.hpp"
#include "app/views/held/settings.hpp"

namespace attnscope {

/// A is shown and edited; B is held and has a scene of its own.
struct Sides {
  Scene& a;
  Scene* b = nullptr;       // null: nothing is held
  bool same_shape = false;  // cell for cell and head for head
  bool comparable = false;  // and both have the stage: there is a difference
  Plane a_plane, b_plane, difference;
  std::vector<SettingDifference> settings;  // what differs

  const Ui& ui() const { return a.ui; }
};

/// The two sides of a comparison; `held` is the scene of B or null.
Sides sides_of(Scene& scene, Scene* held);

/// One range for A and B, so that equal colours are equal numbers.
ColourScale shared_scale(const Sides&);
/// Centred on zero (|A − B|: from zero up), up to the largest difference in the head, or in all heads; ratios
/// end at × 32.
ColourScale difference_scale(const Sides&, bool all_heads);
/// The largest |finite difference| of the chosen head.
double largest_difference(const Sides&);

/// "+.26", "−.15", "0"; ".15" for |A − B|; "×2.0", "÷4.0", "=" for ratios. `side` of the cell in logical
/// pixels.
std::string difference_in_cell(const Sides&, double value, float side);
/// The same difference with all its digits, computed from both values.
std::string difference_read_out(const Sides&, double a, double b);
/// The picture's colours: blue below zero, orange above.
Rgba difference_ink(const Ui&, double value);

/// One of three columns: two lines of words and controls, the picture, its colour bar.
struct Panel {
  Box whole, head, map, bar_area;
};
/// The columns side by side, hairlines between them.
std::array<Panel, 3> draw_panels_ground(const Scene&, const Box& maps);
/// Height of the plots below the pictures; 0 if they are hidden or the pictures need the room.
float plots_height(const Scene&, const Box& region);

/// The two lines above a picture: which side it is, what differs, and what can be done there.
void draw_head_of_a(Sides&, const Box&);
/// Returns the free room at the end of the second line.
Box draw_head_of_b(Sides&, const Box&);
/// Chooses the head of B that is compared with the shown head: the same, or another.
void choose_held_head(Sides&, const Box& room);
void draw_head_of_difference(Sides&, const Box&);
/// "Difference" and the heads that are subtracted.
void draw_title_of_difference(const Sides&, const Box&, float right);
/// The second line of the box.
Box controls_of(const Ui&, const Box& head);

/// The place of the colour bar under a picture, and its words.
struct BarPlace {
  Box area;   // of the panel: the bar stays inside
  Box cells;  // of the picture above it
};
struct BarWords {
  const char* place;  // of its picture
  std::string name, low, high, middle;
  std::string shorter = {};       // used if the middle has too little room
  std::string shorter_name = {};  // used if the name has too little room before the ramp
};
inline constexpr int compared_bins = 48;
void draw_bar(const Ui&, const BarPlace&, const ColourScale&, const Histogram&, const BarWords&);
/// An end of a scale.
std::string end_words(float value);
void draw_bar_of_side(const Sides&, const Scene& side, Plane, const BarPlace&);
void draw_bar_of_difference(const Sides&, const BarPlace&);

/// Shown in the columns of B and A − B while nothing is held.
void draw_nothing_held(Scene&, const Panel& b, const Panel& difference);
/// Shown in the column of A − B if it cannot be computed; `why` is a sentence.
void draw_no_difference(const Ui&, const Panel&, std::string_view why);

/// Entropy of rows and heads, largest weights, all heads' differences.
void draw_compare_plots(Sides&, const Box& region);

/// The whole page for a result whose numbers are all kept: A, B and A − B of the chosen head.
void draw_compare(Scene&, const Box& region);
/// The whole page for a long result: the three pictures show the same place; below them the entropies and the
/// differences of all heads.
void draw_long_compare(Scene&, const Box& region);

}  // namespace attnscope
