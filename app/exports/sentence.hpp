// app/exports: describes the selection in plain English sentences: for a mail, an alt text, or a screen
// reader. Every measure is followed by its value for uniform attention under the same mask.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/state/selection.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

struct LookedAt {
  std::int64_t sequence = 0, head = 0;
  std::optional<Cell> cell;  // whose row, key and weight are described; empty: only the head
};

/// On one line. The place must lie inside the layer. A long layer has no measures; its sizes and settings are
/// described.
std::string sentences_of(const LayerResult&, const LookedAt&);

}  // namespace attnscope
