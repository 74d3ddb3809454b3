// core/transformer/families: windows as the families that have them share them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/transformer/families/config_object.hpp"

namespace attnscope {

/// "sliding_window", 4096 if it is missing; 0 if it is null.
std::int64_t window_width(const ConfigObject&);

/// The width in the blocks that "layer_types" calls "sliding_attention". Throws FieldError unless it has a
/// known name for each block, and for such blocks if the width is 0.
std::vector<std::int64_t> windows_by_type(const ConfigObject&, std::int64_t width, std::size_t blocks);

/// The same; without "layer_types" in all blocks but every `pattern`-th, counted from 1.
std::vector<std::int64_t> windows_by_pattern(const ConfigObject&, std::int64_t width, int pattern,
                                             std::size_t blocks);

}  // namespace attnscope
