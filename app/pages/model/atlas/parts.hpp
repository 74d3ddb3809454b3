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

/// Finds the tokens of the answers, and suggests a corrupted text where there is none yet, or where the one
/// that was suggested stands beside another clean text by now.
void begin_patching(Scene&);
/// Puts a corrupted text there; none where no word can be exchanged.
void suggest_corrupted(PatchingState&, const OpenedModel&, const ModelText& clean);

}  // namespace attnscope
