// core/weights: from a recipe to blocks of numbers.
#pragma once

#include "core/document.hpp"

namespace attnscope {

/// Recipes make no blocks for a wider model: four of them at this width take 256 MiB.
inline constexpr int max_made_width = 4096;

/// The Document with the blocks (and head names) its recipe, seed, noise, biases, heads and d_model ask for.
/// Blocks that come out equal keep their identity, so that only what really changed is computed again.
/// Unchanged when the recipe is Given, when Q, K, V are given, when heads does not divide d_model, or when
/// d_model is out of range (check() says so in words later). Random: W ~ N(0, 2 / (fan_in + fan_out)) (Glorot
/// and Bengio 2010), biases ~ N(0, 0.1²), each block from its own stream of the seed. HandBuilt: see
/// hand_built.hpp; it has no biases and needs d_model >= 16; with fewer key heads than query heads each is
/// the mean of its group's, with another d_v values are cut off or filled up with zeros. A learned key that
/// is there is drawn from N(0, 1).
Document with_weights(Document document);

}  // namespace attnscope
