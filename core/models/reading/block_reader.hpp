// core/models/reading: the weights of one block of a stack.
#pragma once

#include <span>

#include "core/models/reading/part_reader.hpp"

namespace attnscope {

/// Of block i of a stack whose parts have these names. Throws Error as TensorSource::take().
BlockWeights read_block(const PartReader&, std::span<const PartName> names, const StackSpec&, std::size_t i);

}  // namespace attnscope
