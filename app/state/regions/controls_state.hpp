// app/state/regions: the column of controls: which sections it has, and which of them are open.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/state/page/names.hpp"
#include "app/state/page/page_state.hpp"
#include "core/document/settings.hpp"

namespace attnscope {

/// The foldable parts of a column of controls, in the order of ControlsState::fold.
enum class Section {
  Input,
  Weights,
  Heads,
  Scaling,
  Mask,
  Positions,
  Softmax,
  Backward,
  Statistics,
  Cost,
  LongHeads,
  GoTo,
  StrongLines,
  Block,
  // Of a model: folded by themselves, see ModelLook::fold.
  Model,
  Changes,
  Colours,
  Layer,
  Split,
  Norms,
  Logit,
  Path,
  Effects,
  Pair,
  Answers,
  Generation,
  Cache,
  Held,
  Text
};

struct ControlsState {
  static constexpr std::array<std::string_view, 14> known_sections{
      "input",    "weights",    "heads", "scaling",    "mask",  "positions",    "softmax",
      "backward", "statistics", "cost",  "long heads", "go to", "strong lines", "block"};

  std::array<signed char, 16> fold{};  // sections: 0 = depends on the window's width, 1 = open, -1 = closed
  std::array<bool, 16> more{};         // which sections also show their rarely used controls
  /// The sections that the column is reduced to: "scaling, mask"; empty: all sections.
  ListOfNames sections{.names = {}, .known = known_sections};
  std::int64_t cost_tokens = 0;  // the number of tokens the cost is shown for; 0 = the layer's own
  std::string memory_text = "le chat dort sur le tapis";  // the initial second text of cross-attention
  Positions positions = Positions::Sinusoidal;            // the kind that "positions on" restores
};

/// Visits the fields that a session keeps.
void fields(PageFields&, ControlsState&);

inline ControlsState& controls_of(ViewState& view) { return pages_of(view).of<ControlsState>(); }
inline const ControlsState& controls_of(const ViewState& view) { return pages_of(view).of<ControlsState>(); }

}  // namespace attnscope
