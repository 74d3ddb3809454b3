#include "core/streaming/border/instruction_sets.hpp"

#include <array>

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/wide_kernels.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace attnscope::streaming {

extern const Kernels kernels_baseline;
#if defined(__x86_64__)
extern const Kernels kernels_avx2;
#endif

#if defined(__x86_64__)

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
bool has_v4() { return wide_kernels.avx512 != nullptr && knows_v4(); }
bool has_pair_products() { return has_v4() && __builtin_cpu_supports("avx512bf16"); }

/// Whether the processor has tiles and bfloat16 products, and the system permits them. A process must ask
/// once, since the tile registers add 8 KB to every thread's state.
bool has_amx() {
  constexpr unsigned leaf = 7, bfloat_bit = 1u << 22, tile_bit = 1u << 24;
  constexpr long ask_for_feature = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  static const bool usable = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!has_v4() || __get_cpuid_count(leaf, 0, &a, &b, &c, &d) == 0) return false;
    if ((d & bfloat_bit) == 0 || (d & tile_bit) == 0) return false;
    return syscall(SYS_arch_prctl, ask_for_feature, tile_data) == 0;
  }();
  return usable;
}

/// Adds the functions that the bfloat16 kernels lack: those are always in float32, with AVX-512.
Kernels completed(const Kernels& kernels) {
  Kernels whole = *wide_kernels.avx512;
  whole.name = kernels.name;
  whole.tile_rows = kernels.tile_rows;
  whole.few_rows = kernels.few_rows;
  whole.rounds = kernels.rounds;
  whole.sweep = kernels.sweep;
  whole.cells = kernels.cells;
  whole.sweep_scratch = kernels.sweep_scratch;
  whole.cell_scratch = kernels.cell_scratch;
  return whole;
}
const Kernels* avx512_bfloat() {
  static const Kernels whole = completed(*wide_kernels.avx512_bfloat);
  return &whole;
}
const Kernels* amx_bfloat() {
  static const Kernels whole = completed(*wide_kernels.amx_bfloat);
  return &whole;
}
const Kernels* amx_split_bfloat() {
  static const Kernels whole = completed(*wide_kernels.amx_split_bfloat);
  return &whole;
}
}  // namespace

InstructionSet best_instruction_set() {
  if (has_v4()) return InstructionSet::Avx512;
  return has_v3() ? InstructionSet::Avx2 : InstructionSet::Baseline;
}

const Kernels* kernels_for(InstructionSet set) {
  switch (set) {
    case InstructionSet::Baseline: return &kernels_baseline;
    case InstructionSet::Avx2: return has_v3() ? &kernels_avx2 : nullptr;
    case InstructionSet::Avx512: return has_v4() ? wide_kernels.avx512 : nullptr;
    case InstructionSet::Avx512Bfloat: return has_pair_products() ? avx512_bfloat() : nullptr;
    case InstructionSet::AmxBfloat: return has_amx() ? amx_bfloat() : nullptr;
    case InstructionSet::AmxSplitBfloat: return has_amx() ? amx_split_bfloat() : nullptr;
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
  constexpr std::array all{InstructionSet::Baseline, InstructionSet::Neon,         InstructionSet::Avx2,
                           InstructionSet::Avx512,   InstructionSet::Avx512Bfloat, InstructionSet::AmxBfloat};
  std::vector<std::string_view> names;
  for (const InstructionSet set : all)
    if (const Kernels* const kernels = kernels_for(set)) names.emplace_back(kernels->name);
  return names;
}

}  // namespace attnscope::streaming
