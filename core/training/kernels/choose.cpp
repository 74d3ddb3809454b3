#include <string_view>

#include "core/streaming/border/instruction_sets.hpp"
#include "core/training/kernels/kernels.hpp"

namespace attnscope::training {

extern const Kernels<float> kernels_baseline;
extern const Kernels<double> kernels_baseline_double;
#if defined(__x86_64__)
extern const Kernels<float> kernels_avx2;
extern const Kernels<float>* const wide_kernels;  // null where the program was built without
#endif

template <>
const Kernels<float>& baseline_kernels<float>() {
  return kernels_baseline;
}
template <>
const Kernels<double>& baseline_kernels<double>() {
  return kernels_baseline_double;
}

template <>
const Kernels<float>& kernels<float>() {
#if defined(__x86_64__)
  switch (streaming::best_instruction_set()) {
    case streaming::InstructionSet::Avx512: return *wide_kernels;  // which has streaming's as well
    case streaming::InstructionSet::Avx2: return kernels_avx2;
    default: break;
  }
#endif
  return kernels_baseline;
}

const Kernels<float>* kernels_named(const char* name) {
  const auto is = [name](const Kernels<float>& one) { return std::string_view(one.name) == name; };
#if defined(__x86_64__)
  using enum streaming::InstructionSet;
  if (wide_kernels != nullptr && is(*wide_kernels))
    return streaming::kernels_for(Avx512) == nullptr ? nullptr : wide_kernels;
  if (is(kernels_avx2)) return streaming::kernels_for(Avx2) == nullptr ? nullptr : &kernels_avx2;
#endif
  return is(kernels_baseline) ? &kernels_baseline : nullptr;
}
template <>
const Kernels<double>& kernels<double>() {
  return kernels_baseline_double;
}

}  // namespace attnscope::training
