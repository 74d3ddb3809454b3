// app/state/regions: which regions are hidden, how large the splitters made them and how far down they are
// scrolled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "app/state/page/page_state.hpp"

namespace attnscope {

enum class Region : std::uint8_t { Strip, Controls, Heads, Inspector, Signals };

/// The sizes set with the splitters, in logical pixels: widths of controls, heads and inspector, height of
/// the signals; in Model mode the width of the head and the height of the residual stream. 0 = depends on the
/// window's size.
struct RegionSizes {
  float controls = 0, heads = 0, inspector = 0, signals = 0;
  float model_head = 0, model_stream = 0;
  bool operator==(const RegionSizes&) const = default;
};

/// How far down regions are scrolled, in logical pixels.
struct Scrolls {
  float controls = 0, heads = 0;
  bool operator==(const Scrolls&) const = default;
};

struct RegionsState {
  std::array<bool, 5> hidden{};  // by Region
  bool drawer = false;           // where the window is narrow: the inspector is open over the focus
  RegionSizes sizes;
  Scrolls scrolls;

  bool is_hidden(Region region) const { return hidden[static_cast<std::size_t>(region)]; }
};

/// Visits the fields that a session keeps.
void fields(PageFields&, RegionsState&);

inline RegionsState& regions_of(ViewState& view) { return pages_of(view).of<RegionsState>(); }
inline const RegionsState& regions_of(const ViewState& view) { return pages_of(view).of<RegionsState>(); }

}  // namespace attnscope
