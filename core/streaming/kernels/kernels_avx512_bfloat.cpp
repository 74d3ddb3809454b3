// core/streaming/kernels: the kernels for x86-64-v4 with products of bfloat16 pairs (AVX-512 BF16).
#if defined(__x86_64__)
#define ATTNSCOPE_KERNEL avx512_bfloat
#define ATTNSCOPE_LANES 16
#define ATTNSCOPE_BFLOAT_PARTS 1
#define ATTNSCOPE_PAIR_PRODUCTS
#include "core/streaming/kernels/kernel_unit.hpp"

namespace attnscope::streaming {
extern const Kernels kernels_avx512_bfloat;
const Kernels kernels_avx512_bfloat = avx512_bfloat::table("AVX-512, bfloat16");
}  // namespace attnscope::streaming
#endif
