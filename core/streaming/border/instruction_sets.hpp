// core/streaming/border: which instruction sets this program has kernels for on this machine.
#pragma once

#include <string_view>
#include <vector>

namespace attnscope::streaming {

struct Kernels;  // core/streaming/kernels/kernels.hpp

/// The instruction sets of the kernels. Neon is for AArch64, the others for x86-64.
enum class InstructionSet { Baseline, Avx2, Avx512, Neon };

/// The fastest set that this machine can run.
InstructionSet best_instruction_set();
/// Null if this program or this machine lacks the set.
const Kernels* kernels_for(InstructionSet);

/// The names of their kernels, the simplest first.
std::vector<std::string_view> instruction_set_names();

}  // namespace attnscope::streaming
