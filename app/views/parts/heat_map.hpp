// app/views/parts: one labelled heatmap with its marginal strips: the part of the focus that a batch shows
// twice.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/scene/picture.hpp"

namespace attnscope {

struct HeatMapStyle {
  bool wide_strip = true;                 // the entropy strip with heading and room for long tracks
  bool caption = false;                   // the sentence above, for a batch
  bool strips = true;                     // entropy of every row at the right, attention received below
  bool read_out = true;                   // the hovered cell's number beside the mouse
  bool places = false;                    // tokens that stand more than once have their place: la₅
  bool all_names = true;                  // of keys and axes; else of the marked key alone: more cells
  std::optional<Plane> plane = {};        // instead of scene.view.stage
  std::optional<ColourScale> scale = {};  // instead of the plane's own
  /// What is written in a cell, instead of the usual; `side` of the cell in logical pixels.
  std::function<std::string(double value, float side)> print = {};
  const char* name = "heatmap";  // of what takes the mouse and of the picture, before its number
  /// Side of a cell of a matrix that has few of them and is not zoomed, logical pixels.
  float largest_cell = 96;
  bool short_names = false;  // above columns that are numbered: room for the cells counts for more
};

/// Draws head scene.head() of sequence b into the area and takes its mouse. Returns the box of the cells.
Box draw_heat_map(Scene&, const Box& area, std::int64_t b, const HeatMapStyle&);

}  // namespace attnscope
