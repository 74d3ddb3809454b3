// app/pages/model: the regions of both screens.
#pragma once

#include "app/pages/model/parts/parts.hpp"

namespace attnscope {

void draw_effects(Scene&, const Box& region);
void draw_patched_heads(Scene&, const Box& region);
void draw_patched_rows(Scene&, const Box& region);

void effects_section(Column&);
void pair_section(Column&);
void answers_section(Column&);

/// Finds the tokens of the answers, and suggests a corrupted text if there is none, or if the suggested one
/// belongs to an earlier clean text.
void begin_patching(Scene&);
/// Sets a suggested corrupted text; an empty one if no word can be exchanged.
void suggest_corrupted(PatchingState&, const OpenedModel&, const ModelText& clean);

}  // namespace attnscope
