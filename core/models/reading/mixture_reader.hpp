// core/models/reading: the weights of a block's mixture of experts.
#pragma once

#include <span>

#include "core/models/reading/part_reader.hpp"

namespace attnscope {

/// Of block i, by the names of its stack. Throws Error as TensorSource::take().
MixtureWeights read_mixture(const PartReader&, std::span<const PartName> names, const ExpertSettings&,
                            std::size_t i);

}  // namespace attnscope
