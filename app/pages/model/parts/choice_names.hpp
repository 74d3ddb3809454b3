// app/pages/model: names of the choices for the grid of heads, for its controls and the palette.
#pragma once

#include <array>
#include <string_view>

namespace attnscope {

/// In the order of HeadColour.
inline constexpr std::array<std::string_view, 6> head_colour_names{"pattern",   "entropy",     "previous",
                                                                   "induction", "first token", "effect"};
/// In the order of GridOrder.
inline constexpr std::array<std::string_view, 3> grid_order_names{"layer, head", "what they do",
                                                                  "largest first"};

}  // namespace attnscope
