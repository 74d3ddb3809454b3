#include "core/streaming/kernels/wide_kernels.hpp"

namespace attnscope::streaming {
extern const Kernels kernels_avx512, kernels_avx512_bfloat, kernels_amx_bfloat, kernels_amx_split_bfloat;
const WideKernels wide_kernels{&kernels_avx512, &kernels_avx512_bfloat, &kernels_amx_bfloat,
                               &kernels_amx_split_bfloat};
}  // namespace attnscope::streaming
