// core/streaming: which instruction sets this program has kernels for on this machine.
#pragma once

#include <string_view>
#include <vector>

namespace attnscope::streaming {

/// The names of their kernels, the simplest first; without those that split numbers into parts in bfloat16.
/// out.
std::vector<std::string_view> instruction_set_names();

}  // namespace attnscope::streaming
