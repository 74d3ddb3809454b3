#include "core/streaming/kernels.hpp"

namespace attnscope::streaming {

extern const Kernels kernels_baseline;
#if defined(__x86_64__)
extern const Kernels kernels_avx2, kernels_avx512;
#endif

#if defined(__x86_64__)

namespace {
bool has_v3() { return __builtin_cpu_supports("x86-64-v3"); }
bool has_v4() { return __builtin_cpu_supports("x86-64-v4"); }
}  // namespace

InstructionSet best_instruction_set() {
  if (has_v4()) return InstructionSet::Avx512;
  return has_v3() ? InstructionSet::Avx2 : InstructionSet::Baseline;
}

const Kernels* kernels_for(InstructionSet set) {
  switch (set) {
    case InstructionSet::Baseline: return &kernels_baseline;
    case InstructionSet::Avx2: return has_v3() ? &kernels_avx2 : nullptr;
    case InstructionSet::Avx512: return has_v4() ? &kernels_avx512 : nullptr;
    case InstructionSet::Neon: return nullptr;
  }
  return nullptr;
}

#elif defined(__aarch64__)

InstructionSet best_instruction_set() { return InstructionSet::Neon; }

const Kernels* kernels_for(InstructionSet set) {
  return set == InstructionSet::Neon ? &kernels_baseline : nullptr;
}

#else

InstructionSet best_instruction_set() { return InstructionSet::Baseline; }

const Kernels* kernels_for(InstructionSet set) {
  return set == InstructionSet::Baseline ? &kernels_baseline : nullptr;
}

#endif

}  // namespace attnscope::streaming
