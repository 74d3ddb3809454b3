// core/streaming/kernels: the kernels for AVX-512 and its matrix units, which take longest to compile. Builds
// with sanitizers omit them (wide_absent.cpp): the same code runs there with four and with eight lanes.
#pragma once

#include "core/streaming/kernels/kernels.hpp"

namespace attnscope::streaming {

/// Null if the program was built without them. The bfloat16 kernels have sweeps and cells only: kernels_for()
/// adds the rest.
struct WideKernels {
  const Kernels *avx512, *avx512_bfloat, *amx_bfloat, *amx_split_bfloat;
};
extern const WideKernels wide_kernels;

}  // namespace attnscope::streaming
