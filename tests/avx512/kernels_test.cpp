// What runs here, said aloud: with a kernel that is missing, the other tests would pass without having tried
// it.
#include "core/streaming/kernels/kernels.hpp"

#include <cstdio>

#include <catch2/catch_test_macros.hpp>

#include "core/streaming/border/instruction_sets.hpp"

namespace attnscope {

TEST_CASE("This machine has AVX-512") {
  using streaming::InstructionSet;
  for (const auto set : {InstructionSet::Baseline, InstructionSet::Avx2, InstructionSet::Avx512})
    if (const streaming::Kernels* kernels = streaming::kernels_for(set))
      std::printf("has %s\n", kernels->name);
  CHECK(streaming::best_instruction_set() == InstructionSet::Avx512);
  CHECK(streaming::kernels_for(InstructionSet::Avx512) != nullptr);
}

}  // namespace attnscope
