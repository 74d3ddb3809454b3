// core/weights: the numbers of a block around the attention layer.
#pragma once

#include "core/document/document.hpp"

namespace attnscope {

/// The Document with the parameters that its block reads. Weights of a recipe are made anew, and equal ones
/// keep their identity; what the block does not read is let go. Given weights keep what fits, the rest is
/// made. Norms begin as 1 (0 where 1 is added to them) and their biases as 0. Matrices of the MLP are drawn
/// as the recipe's others, each from its own stream of the seed; as Xavier with hand-built heads, and where
/// they are too large to be orthogonal. Biases as those of the other matrices. Unchanged with given Q, K and
/// V and where d_model or d_inner are out of range.
Document with_block_weights(Document document);

}  // namespace attnscope
