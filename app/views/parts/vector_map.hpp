// app/views/parts: a stage of vectors, large: one token a row, one dimension a column. The part of the
// computation before the scores and after the mix.
#pragma once

#include <vector>

#include "app/scene/scene.hpp"
#include "core/document/block_settings.hpp"

namespace attnscope {

/// The stages of vectors that this result has, in the order of the computation.
std::vector<Stage> vector_stages(const LayerResult&);

/// "Queries", and what is computed.
struct VectorWords {
  std::string_view name, formula, why;
};
VectorWords vector_words(Stage);
/// Of such a block, where a norm may pass its rows on as they are, and a sum may have one part alone.
VectorWords vector_words(const BlockSettings&, Stage);

/// Draws the shown sequence (and head, where the stage has heads) into the area, with a colour bar below.
/// `label` of what takes the mouse: another one for each of several in a frame.
void draw_vector_map(Scene&, const Box& area, Stage, const char* label = "vector map");

}  // namespace attnscope
