// app/views/tokens: tokens as chips in a row, tinted like the heatmap's row or column.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/scene/scene.hpp"
#include "core/document/model_context.hpp"
#include "core/text/token.hpp"

namespace attnscope {

/// A row of chips: the queries or the keys of the shown sequence.
struct ChipRow {
  bool of_keys = false;
  bool tinted = false;        // by the weights; else it only says which token is chosen
  bool answers_both = false;  // one text: a chip is a key as well as a query
  const char* name = "";      // of a chip, before its number
  bool numbers = false;       // stand above the chips
  // In a model with two texts:
  std::optional<AttentionOf> stack = {};       // whose tokens they are
  const std::vector<Token>* others = nullptr;  // tokens that the shown layer does not see: labels alone
};

/// The colour of a chip's word on its ground, opaque. A word that the model does not know is legible like any
/// other: dots below it say so.
Rgba chip_ink(const Theme&, Rgba ground, bool unknown);

/// The chips from the left end of the area, centred on `y`.
void draw_chips(Scene&, const Box& area, float y, const ChipRow&);

}  // namespace attnscope
