#include "app/state/regions/long_state.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(LongSide, {"a", "b", "difference"});

void fields(PageFields& visit, LongState& view) {
  visit("mean", view.mean);
  visit("side", view.side);
}

}  // namespace attnscope
