// core/base: the quantised blocks of GGUF as floats, with the bits of their reference, the Python package
// `gguf` (quants.py): the same float operations in the same order, each rounded.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/element_type.hpp"

namespace attnscope {

/// The numbers of the blocks of a quantised type, bit for bit those of the reference; where a scale is NaN,
/// or infinity meets zero, some NaN. `bytes` may lie at any address and holds exactly to.size() of them.
void dequantise(ElementType, std::span<const std::byte> bytes, std::span<float> to);

}  // namespace attnscope
