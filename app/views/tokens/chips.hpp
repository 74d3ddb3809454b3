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
  bool tinted = false;        // by the weights; else only the chosen tokens are marked
  bool answers_both = false;  // one text for both: a chip is a key as well as a query
  const char* name = "";      // the ID of a chip, before its index
  bool numbers = false;       // positions above the chips
  // In a model with two texts:
  std::optional<AttentionOf> stack = {};       // the stack that the tokens belong to
  const std::vector<Token>* others = nullptr;  // tokens that the shown layer does not see: only labels
};

/// The opaque text colour of a chip on its ground. A word unknown to the model is as legible as any other;
/// dots below mark it.
Rgba chip_ink(const Theme&, Rgba ground, bool unknown);

/// Draws the chips from the left end of the area, centred on `y`.
void draw_chips(Scene&, const Box& area, float y, const ChipRow&);

}  // namespace attnscope
