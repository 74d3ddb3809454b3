// app/kit/draw: from a number in 0..1 to a colour. Sequential maps for probabilities, zero-centred ones for
// scores.
#pragma once

#include <array>
#include <string_view>

#include "app/kit/draw/image.hpp"

namespace attnscope {

enum class Map {
  Weights,       // dark ground: magma
  WeightsPaper,  // light ground: the same reversed, with a paper end
  Scores,        // dark ground: blue, ground, orange
  ScoresPaper,   // light ground: blue, white, orange
  Viridis,
  Cividis,
  Blues,
  Grey,
  BluesDark,  // dark ground: Blues reversed
  GreyPaper,  // light ground: white to black
};
inline constexpr int map_count = 10;

using Colormap = std::array<Rgba, 256>;
const Colormap& colormap(Map);
std::string_view name_of(Map);

/// Relative luminance (WCAG 2) of a colour, 0..1: decides the colour of the text printed on a cell.
double luminance(Rgba);

}  // namespace attnscope
