// app/views/parts: a large picture of a stage of vectors: one token per row, one dimension per column. For
// the stages before the scores and after the mix.
#pragma once

#include <vector>

#include "app/kit/ui/ui.hpp"
#include "core/document/block_settings.hpp"
#include "core/document/stage.hpp"

namespace attnscope {

struct LayerResult;  // core/engine/result.hpp
struct Scene;

/// The stages of vectors that this result has, in the order of the computation.
std::vector<Stage> vector_stages(const LayerResult&);

/// "Queries", and their formula.
struct VectorWords {
  std::string_view name, formula, why;
};
VectorWords vector_words(Stage);
/// The words for such a block: a norm may pass its rows through, and a sum may have only one part.
VectorWords vector_words(const BlockSettings&, Stage);

/// Draws the shown sequence (and head, if the stage has heads) into the area, with a colour bar below.
/// `label`: the item's label, different for each map of a frame.
void draw_vector_map(Scene&, const Box& area, Stage, const char* label = "vector map");

}  // namespace attnscope
