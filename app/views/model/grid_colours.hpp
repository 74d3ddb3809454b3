// app/views/model: what the colours of the grid stand for.
#pragma once

#include <string>

#include "app/views/model/grid_frame.hpp"
#include "app/views/parts/map_parts.hpp"

namespace attnscope {

/// What the head is coloured and sorted by: patterns by how spread out they are. NaN: not known yet.
double grid_value(const GridFrame&, const ModelHead&);
/// What stands for a head in its tooltip: what it is coloured by; patterns by what puts the head into its
/// group, or how spread out they are.
HeadMeasure told_measure(const GridFrame&, const ModelHead&);
ColourScale grid_scale(const GridFrame&);
/// Lengths of the values of the shown run, where the grid shows contributions and they are known; else null.
const ValueNorms* grid_norms(const GridFrame&);
/// What the last colour of the pictures stands for. Of short texts and by logarithm 1; where many keys share
/// the weight, a fourth or less, so that something is seen.
float grid_high(const GridFrame&);
/// Whether a pixel shows the largest weight of its cells: the mean of many is next to nothing.
bool pools_by_maximum(const GridFrame&);
/// Weights from here on have the last colour: among many keys few come near 1.
float high_of_weights(std::int64_t keys);
/// What stands at the ends of the colour bar. `pooled`: pixels are of several weights.
struct GridEnds {
  std::string low, high;
};
GridEnds grid_ends(const GridFrame&, bool pooled = true);
/// One line on what is shown and how it is sorted.
std::string grid_note(const GridFrame&);

}  // namespace attnscope
