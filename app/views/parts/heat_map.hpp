// app/views/parts: one labelled heatmap with its marginal strips; the focus shows two of them for a batch.
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
  bool places = false;                    // tokens that occur more than once have their position: la₅
  bool all_names = true;                  // of keys and axes; else of the marked key alone: more room
  std::optional<Plane> plane = {};        // replaces scene.view.stage
  std::optional<ColourScale> scale = {};  // replaces the plane's own
  /// The text of a cell, instead of the usual number; `side` of the cell in logical pixels.
  std::function<std::string(double value, float side)> print = {};
  const char* name = "heatmap";  // the label of its item and picture, followed by a number
  /// The largest side of a cell of an unzoomed matrix with few cells, logical pixels.
  float largest_cell = 96;
  bool short_names = false;  // above numbered columns: room for the cells matters more
  float least_printed = 28;  // the side from which cells have their numbers, logical pixels
};

/// Draws head scene.head() of sequence b into the area and takes its mouse. Returns the box of the cells.
Box draw_heat_map(Scene&, const Box& area, std::int64_t b, const HeatMapStyle&);

}  // namespace attnscope
