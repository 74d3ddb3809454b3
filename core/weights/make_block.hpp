// core/weights: the weights of a block around the attention layer.
#pragma once

#include "core/document/document.hpp"

namespace attnscope {

/// The Document with the parameters that its block reads. Weights of a recipe are made again, and equal ones
/// keep their identity; parameters that the block does not read are dropped. Given weights are kept if they
/// fit, missing ones are made. Norm weights start at 1 (0 if 1 is added to them) and norm biases at 0.
/// Matrices of the MLP are drawn as the recipe's others, each from its own stream of the seed; with Xavier
/// for hand-built heads, and if they are too large to be orthogonal. Biases as those of the other matrices.
/// The Document is unchanged with given Q, K and V, and if d_model or d_inner is out of range.
Document with_block_weights(Document document);

}  // namespace attnscope
