// app/views/compare: what the parts of the comparison share: the two sides, their ranges, how a difference is
// written.
#pragma once

#include <string>
#include <vector>

#include "app/scene/picture.hpp"
#include "app/scene/scene.hpp"
#include "app/views/compare/settings.hpp"

namespace attnscope {

/// A is what is shown and edited, B what is held, seen through a scene of its own.
struct Sides {
  Scene& a;
  Scene* b = nullptr;       // null: nothing is held
  bool same_shape = false;  // cell for cell and head for head
  bool comparable = false;  // and both have the stage: there is a difference
  Plane a_plane, b_plane, difference;
  std::vector<SettingDifference> settings;  // what differs

  const Ui& ui() const { return a.ui; }
};

/// What is compared of the scene; `held` is the scene of B or null.
Sides sides_of(Scene& scene, Scene* held);

/// One range for A and B, so that equal colours are equal numbers.
ColourScale shared_scale(const Sides&);
/// Centred on zero (|A − B| from zero up), as far as the largest of one head or of all; ratios end at × 32.
ColourScale difference_scale(const Sides&, bool all_heads);
/// The largest |finite difference| of the chosen head.
double largest_difference(const Sides&);

/// "+.26", "−.15", "0"; ".15" for |A − B|; "×2.0", "÷4.0", "=" for ratios. `side` of the cell in logical
/// pixels.
std::string difference_in_cell(const Sides&, double value, float side);
/// The same with all its places, from both values.
std::string difference_read_out(const Sides&, double a, double b);
/// Blue below zero, orange above, as in the picture.
Rgba difference_ink(const Ui&, double value);

/// One sentence: why there is no A − B and what to do.
std::string why_no_difference(const Sides&);

/// The two lines above a picture: which side it is, what differs, and what can be done there.
void draw_head_of_a(Sides&, const Box&);
void draw_head_of_b(Sides&, const Box&);
void draw_head_of_difference(Sides&, const Box&);

/// Where the colour bar under a picture stands and what it says.
struct BarPlace {
  Box area;   // of the panel: the bar stays inside
  Box cells;  // of the picture above it
};
void draw_bar_of_side(const Sides&, const Scene& side, Plane, const BarPlace&);
void draw_bar_of_difference(const Sides&, const BarPlace&);

/// What stands in the place of B and A − B while nothing is held, and of A − B where there is none.
void draw_nothing_held(Scene&, const Box&);
void draw_no_difference(const Sides&, const Box&);

/// Entropy of rows and heads, largest weights, all heads' differences.
void draw_compare_plots(Sides&, const Box& region);

}  // namespace attnscope
