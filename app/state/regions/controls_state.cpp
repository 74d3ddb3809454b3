#include "app/state/regions/controls_state.hpp"

#include "core/document/enum_names.hpp"

namespace attnscope {

/// As in documents.
template <>
struct Names<Positions> {
  static constexpr auto list = enum_column<Positions>(&EnumName::key);
};

void fields(PageFields& visit, ControlsState& controls) {
  visit("fold", controls.fold, -1, 1);
  visit("more", controls.more);
  visit("controls", controls.sections);
  visit("cost_tokens", controls.cost_tokens, 0, 1 << 30);
  visit("memory_text", controls.memory_text);
  visit("positions", controls.positions);
}

}  // namespace attnscope
