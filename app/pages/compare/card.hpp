// app/pages/compare: the chosen cell's numbers in A and B.
#pragma once

#include "app/pages/compare/parts.hpp"
#include "app/views/parts/map_frame.hpp"

namespace attnscope {

/// Where the card is placed: inside the panel around the map, on masked or empty area if there is enough of
/// it; the marked row and column and their labels are covered last. `only_if_free`: no card if it would cover
/// labels or other cells.
struct CardPlace {
  Box panel;
  const MapFrame& map;
  bool only_if_free;
};
void draw_card(const Sides&, const CardPlace&);

}  // namespace attnscope
