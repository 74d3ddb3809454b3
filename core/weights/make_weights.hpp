// core/weights: makes the weight blocks of a recipe.
#pragma once

#include "core/document/document.hpp"

namespace attnscope {

/// The Document with the blocks (and head names) that its recipe, seed, noise, biases, heads and d_model ask
/// for. Blocks that come out equal keep their identity, so that only real changes are computed again. The
/// Document is unchanged if the recipe is Given, if Q, K, V are given, if heads does not divide d_model and
/// d_k is 0, or if a width is out of range (check() reports it later). Edited numbers that no longer fit the
/// heads and widths are dropped, and the recipe that they came from makes new ones. Random: see Initialiser;
/// biases ~ N(0, 0.1²) except for Initialiser::Linear; each block from its own stream of the seed. HandBuilt:
/// see hand_built.hpp; it has no biases and needs d_model >= 16; with fewer key heads than query heads each
/// is the mean of its group's; with another d_v values are cut off or filled up with zeros. Then the blocks'
/// own recipes are applied: drawn by themselves, times their gain. An existing learned key is drawn from N(0,
/// 1). Weights of a block: make_block.hpp.
Document with_weights(Document document);

/// Whether the recipe could make blocks for the Document's heads and widths. False for Given.
bool can_make(const Document&, Recipe);

}  // namespace attnscope
