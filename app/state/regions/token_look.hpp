// app/state/regions: how the token strip is tinted.
#pragma once

#include <cstdint>

#include "app/state/page/page_state.hpp"

namespace attnscope {

/// What the query looks at, or which queries look at the key.
enum class Direction : std::uint8_t { QueryToKeys, KeyToQueries };

struct TokenLook {
  Direction direction = Direction::QueryToKeys;
};

/// What a session keeps of it.
void fields(PageFields&, TokenLook&);

inline TokenLook& token_look_of(ViewState& view) { return pages_of(view).of<TokenLook>(); }
inline const TokenLook& token_look_of(const ViewState& view) { return pages_of(view).of<TokenLook>(); }

}  // namespace attnscope
