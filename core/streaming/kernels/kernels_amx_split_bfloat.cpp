// core/streaming/kernels: the kernels for x86-64-v4 with a matrix unit (AMX), products in bfloat16 split into
// high and low parts.
#if defined(__x86_64__)
#define ATTNSCOPE_KERNEL amx_split_bfloat
#define ATTNSCOPE_LANES 16
#define ATTNSCOPE_BFLOAT_PARTS 2
#include "core/streaming/kernels/kernel_unit.hpp"

namespace attnscope::streaming {
extern const Kernels kernels_amx_split_bfloat;
const Kernels kernels_amx_split_bfloat = amx_split_bfloat::table("AMX, split bfloat16");
}  // namespace attnscope::streaming
#endif
