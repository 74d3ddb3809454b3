// app/views/signals: the eight plots and the line above each: a chooser of the plot, and the plot's own
// switches at the right.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/kit/widgets/plot.hpp"
#include "app/scene/scene.hpp"
#include "app/state/regions/signals_state.hpp"

namespace attnscope {

/// One of the places for plots, which are side by side.
struct PlotPlace {
  Scene& scene;
  Box box;   // of the title line and the plot
  int slot;  // 0..3
  PlotKind kind() const { return signals_of(scene.view).slots[static_cast<std::size_t>(slot)]; }
};

/// The title above a plot, and the tip of its chooser.
Tip words(PlotKind);
/// Its name in the list of the chooser.
const char* name_in_list(PlotKind);

/// Puts a plot into a place. If another place has it, that place gets the plot of this one.
void show_plot(SignalsState&, int slot, PlotKind);

/// The title line, filled from the right. Switches without room are left out.
class TitleLine {
 public:
  explicit TitleLine(const PlotPlace& place) : place_(place), right_(place.box.right()) {}
  /// A small button, highlighted if `on`. True when it was clicked.
  bool tool(const char* label, std::string_view shown, bool on, const Tip&);
  /// Small segments; returns the one that was clicked.
  std::optional<int> choice(const char* label, std::span<const std::string_view> names, int chosen,
                            std::span<const Tip> tips);
  /// A box of `width` device pixels for the caller to draw into; nothing if there is no room.
  std::optional<Box> room(float width);
  /// Draws the chooser, and the unit as far as there is room. Returns the box below the line.
  Box finish(std::string_view unit);

 private:
  const PlotPlace& place_;
  float right_;
};

/// The measures of B if its rows can be compared with the shown ones; else null.
const Measures* held_measures(const Shown&);
/// The fills of differences above and below 0.
Rgba positive_fill(const Ui&);
Rgba negative_fill(const Ui&);

/// The text of a plot without data: what is missing, and the remedy.
void draw_empty_plot(const Ui&, const Box&, std::string_view what, std::string_view remedy);

void draw_entropy_rows(const PlotPlace&);
void draw_entropy_heads(const PlotPlace&);
void draw_entropy_map(const PlotPlace&);
void draw_scores(const PlotPlace&);
void draw_weights(const PlotPlace&);
void draw_time(const PlotPlace&);
void draw_gradient_norms(const PlotPlace&);
void draw_received(const PlotPlace&);

}  // namespace attnscope
