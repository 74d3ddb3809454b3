#include "app/state/regions/heads_state.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(HeadOrder, {"index", "entropy", "largest", "previous", "next", "self", "first", "distance",
                            "received", "gradient"});

void fields(PageFields& visit, HeadsState& heads) { visit("order", heads.order); }

}  // namespace attnscope
