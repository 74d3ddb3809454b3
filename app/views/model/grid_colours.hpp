// app/views/model: the meaning of the grid's colours.
#pragma once

#include <string>

#include "app/views/model/grid_frame.hpp"
#include "app/views/parts/map_parts.hpp"

namespace attnscope {

/// The number by which a head is coloured and sorted; for patterns how spread out they are. NaN: not known
/// yet.
double grid_value(const GridFrame&, const ModelHead&);
/// The measure in a head's tooltip: the one that colours it; for patterns the one that determines the head's
/// group, or how spread out they are.
HeadMeasure told_measure(const GridFrame&, const ModelHead&);
ColourScale grid_scale(const GridFrame&);
/// The norms of the values of the shown run, if the grid shows contributions and they are known; else null.
const ValueNorms* grid_norms(const GridFrame&);
/// The value of the last colour of the pictures: 1 for short texts and on a logarithmic scale; if many keys
/// share the weight a fourth or less, so that weights are visible.
float grid_high(const GridFrame&);
/// Whether a pixel shows the largest weight of its cells: the mean of many is close to 0.
bool pools_by_maximum(const GridFrame&);
/// The weight from which on the last colour is used: with many keys few weights come near 1.
float high_of_weights(std::int64_t keys);
/// The texts at the ends of the colour bar. `pooled`: a pixel pools several weights.
struct GridEnds {
  std::string low, high;
};
GridEnds grid_ends(const GridFrame&, bool pooled = true);
/// One line about the colours and the order.
std::string grid_note(const GridFrame&);

}  // namespace attnscope
