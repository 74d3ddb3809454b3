// app/views/atlas: the regions of both screens.
#pragma once

#include "app/scene/scene.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/model/parts.hpp"

namespace attnscope {

void draw_effects(Scene&, const Box& region);
void draw_pruning(Scene&, const Box& region);
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

/// The list's part of a region, at its right; empty where there is no room for it.
Box list_part(const Scene&, const Box& area);

}  // namespace attnscope
