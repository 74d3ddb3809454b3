#include "core/streaming_cases.hpp"

namespace attnscope::streaming {
#if defined(__x86_64__)
extern const Kernels kernels_wide;
#endif
}  // namespace attnscope::streaming

namespace attnscope::streaming_cases {

std::vector<const streaming::Kernels*> all_kernels() {
  std::vector<const streaming::Kernels*> found;
  for (const auto set : {streaming::InstructionSet::Baseline, streaming::InstructionSet::Avx2,
                         streaming::InstructionSet::Avx512, streaming::InstructionSet::Neon})
    if (const streaming::Kernels* kernels = streaming::kernels_for(set)) found.push_back(kernels);
#if defined(__x86_64__)
  if (streaming::kernels_for(streaming::InstructionSet::Avx2) != nullptr)
    found.push_back(&streaming::kernels_wide);
#endif
  return found;
}

}  // namespace attnscope::streaming_cases
