// core/base: the quantised blocks of GGUF as floats, with the bits of their reference, the Python package
// `gguf` (quants.py): the same float operations in the same order, each rounded.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/element_type.hpp"

namespace attnscope {

/// Converts the blocks of a quantised type, with the bits of the reference; NaN where a scale is NaN or
/// infinity is multiplied by zero, with unspecified bits. `bytes` may lie at any address and hold exactly
/// to.size() numbers.
void dequantise(ElementType, std::span<const std::byte> bytes, std::span<float> to);

}  // namespace attnscope
