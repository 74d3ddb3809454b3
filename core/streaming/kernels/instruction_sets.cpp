#include "core/streaming/border/instruction_sets.hpp"

#include <array>

#include "core/streaming/kernels/kernels.hpp"

namespace attnscope::streaming {

extern const Kernels kernels_baseline;
#if defined(__x86_64__)
extern const Kernels kernels_avx2;
/// Null where the program was built without: AVX-512 takes longest to compile, and builds with sanitizers
/// omit it (wide_absent.cpp), since the same code runs there with four and with eight lanes.
extern const Kernels* const wide_kernels;

namespace {
#if defined(__clang__) && __clang_major__ < 17
// These clang versions do not know the levels by name. No processor has these features without the rest of
// the level.
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}
bool knows_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#else
bool has_v3() { return __builtin_cpu_supports("x86-64-v3"); }
bool knows_v4() { return __builtin_cpu_supports("x86-64-v4"); }
#endif
/// Whether the processor has AVX-512 and the program has kernels for it.
bool has_v4() { return wide_kernels != nullptr && knows_v4(); }
}  // namespace

InstructionSet best_instruction_set() {
  if (has_v4()) return InstructionSet::Avx512;
  return has_v3() ? InstructionSet::Avx2 : InstructionSet::Baseline;
}

const Kernels* kernels_for(InstructionSet set) {
  switch (set) {
    case InstructionSet::Baseline: return &kernels_baseline;
    case InstructionSet::Avx2: return has_v3() ? &kernels_avx2 : nullptr;
    case InstructionSet::Avx512: return has_v4() ? wide_kernels : nullptr;
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

const RowKernels& row_kernels() { return *kernels_for(best_instruction_set()); }

std::vector<std::string_view> instruction_set_names() {
  constexpr std::array all{InstructionSet::Baseline, InstructionSet::Neon, InstructionSet::Avx2,
                           InstructionSet::Avx512};
  std::vector<std::string_view> names;
  for (const InstructionSet set : all)
    if (const Kernels* const kernels = kernels_for(set)) names.emplace_back(kernels->name);
  return names;
}

}  // namespace attnscope::streaming
