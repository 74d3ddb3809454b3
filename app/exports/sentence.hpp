// app/exports: what is looked at, in plain English sentences: for a mail, an alt text, or a screen
// reader. Every measure has beside it what uniform attention under the same mask has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/state/selection.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

struct LookedAt {
  std::int64_t sequence = 0, head = 0;
  std::optional<Cell> cell;  // of whose row, key and weight it speaks; nothing: the head alone
};

/// On one line. The place must lie inside the layer. Of a long layer, which has no measures, its sizes and
/// settings.
std::string sentences_of(const LayerResult&, const LookedAt&);

}  // namespace attnscope
