// core/weights: from a recipe to blocks of numbers.
#pragma once

#include "core/document/document.hpp"

namespace attnscope {

/// The Document with the blocks (and head names) its recipe, seed, noise, biases, heads and d_model ask for.
/// Blocks that come out equal keep their identity, so that only what really changed is computed again.
/// Unchanged when the recipe is Given, when Q, K, V are given, when heads does not divide d_model and d_k
/// is 0, or when a width is out of range (check() says so in words later). Numbers edited by hand that no
/// longer fit the heads and widths are let go: the recipe that made them makes them anew. Random: see
/// Initialiser, biases ~ N(0, 0.1²) but for Initialiser::Linear, each block from its own stream of the seed.
/// HandBuilt: see hand_built.hpp; it has no biases and needs d_model >= 16; with fewer key heads than query
/// heads each is the mean of its group's, with another d_v values are cut off or filled up with zeros. Then
/// what single blocks do differently: drawn by themselves, times their gain. A learned key that is there is
/// drawn from N(0, 1). Numbers of a block: make_block.hpp.
Document with_weights(Document document);

/// Whether the recipe could make blocks for the Document's heads and widths. Never for Given.
bool can_make(const Document&, Recipe);

}  // namespace attnscope
