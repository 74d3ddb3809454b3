// app/pages/compare: the chosen cell's numbers in A and B.
#pragma once

#include "app/pages/compare/parts.hpp"
#include "app/views/parts/map_frame.hpp"

namespace attnscope {

/// Where the card may stand: in the panel around the map, never on the marked row or column and their labels;
/// on masked or empty area where there is some. `only_if_free`: not at all where it would hide something
/// else.
struct CardPlace {
  Box panel;
  const MapFrame& map;
  bool only_if_free;
};
void draw_card(const Sides&, const CardPlace&);

}  // namespace attnscope
