// app/views: one labelled heatmap with its marginal strips: the part of the focus that a batch shows twice.
#pragma once

#include "app/scene.hpp"

namespace attnscope {

struct HeatMapStyle {
  bool wide_strip = true;  // the entropy strip with heading and room for long tracks
  bool caption = false;    // the sentence above, for a batch
};

/// Draws head scene.head() of sequence b into the area and takes its mouse. Returns the box of the cells.
Box draw_heat_map(Scene&, const Box& area, std::int64_t b, HeatMapStyle);

}  // namespace attnscope
