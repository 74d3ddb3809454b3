#include "app/state/regions/token_look.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(Direction, {"query-to-keys", "key-to-queries"});

void fields(PageFields& visit, TokenLook& look) { visit("direction", look.direction); }

}  // namespace attnscope
