#include "app/state/compare_state.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(DifferenceKind, {"signed", "magnitude", "ratio"});

void fields(PageFields& visit, CompareState& compare) {
  visit("difference", compare.difference);
  visit("held_head", compare.held_head, -1, 1 << 30);
}

}  // namespace attnscope
