// app/kit/ui: the colours by role. Only data and the selection carry colour; everything else is grey.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "app/kit/draw/colormap.hpp"

namespace attnscope {

enum class ThemeName { Dark, Light, Contrast };

struct Theme {
  ThemeName name;
  Rgba canvas, panel, raised, control, control_hover, segment_on, segment_line, hairline, border;
  Rgba text1, text2, text3, disabled;  // values / labels / units and ticks / never the only sign of a fact
  Rgba query, key, value, error, nan;  // query is the accent: selection, moved knob, query token
  Rgba b;                              // the held side of a comparison; A is always text1
  Rgba bar, bar_ground;                // marginal strips that are not selected
  Rgba hatch_ground, hatch_line;       // masked
  Rgba small_value;                    // text of weights under 0.1 on a cell
  Rgba picture;                        // ground of the focus picture
  float faint_curve;                   // opacity of unselected curves
  Map weights, scores;
  std::array<Rgba, 8> heads;

  Rgba head(std::int64_t index) const { return heads[static_cast<std::size_t>(index % 8)]; }
};

const Theme& theme(ThemeName);
/// "dark", "light", "contrast"; empty for anything else.
std::optional<ThemeName> theme_named(std::string_view);

/// The colour with its opacity multiplied, 0..1.
Rgba fade(Rgba, float opacity);

}  // namespace attnscope
