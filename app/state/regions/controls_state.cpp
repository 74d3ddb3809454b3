#include "app/state/regions/controls_state.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(Positions, {"none", "sinusoidal", "learned", "buckets", "alibi", "rope-half",
                            "rope-interleaved", "windows", "disentangled"});

void fields(PageFields& visit, ControlsState& controls) {
  visit("fold", controls.fold, -1, 1);
  visit("more", controls.more);
  visit("controls", controls.sections);
  visit("cost_tokens", controls.cost_tokens, 0, 1 << 30);
  visit("memory_text", controls.memory_text);
  visit("positions", controls.positions);
}

}  // namespace attnscope
