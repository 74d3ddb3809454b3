// app/state/regions: how the token strip is tinted.
#pragma once

#include <cstdint>

#include "app/state/page/page_state.hpp"

namespace attnscope {

/// The tint of the chips: the weights of the query's row, or those of the key's column.
enum class Direction : std::uint8_t { QueryToKeys, KeyToQueries };

struct TokenLook {
  Direction direction = Direction::QueryToKeys;
};

/// Visits the fields that a session keeps.
void fields(PageFields&, TokenLook&);

inline TokenLook& token_look_of(ViewState& view) { return pages_of(view).of<TokenLook>(); }
inline const TokenLook& token_look_of(const ViewState& view) { return pages_of(view).of<TokenLook>(); }

}  // namespace attnscope
