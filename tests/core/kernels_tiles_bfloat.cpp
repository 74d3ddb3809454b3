// tests: the kernels for matrix units with tiles emulated by ordinary code, for machines without such units:
// all but four instructions are those of the product.
#if defined(__x86_64__)
#define ATTNSCOPE_KERNEL tiles_bfloat
#define ATTNSCOPE_LANES 16
#define ATTNSCOPE_BFLOAT_PARTS 1
#define ATTNSCOPE_EMULATED_TILES
#include "core/streaming/kernels/kernel_unit.hpp"

namespace attnscope::streaming {
extern const Kernels kernels_tiles_bfloat;
const Kernels kernels_tiles_bfloat = tiles_bfloat::table("emulated tiles, bfloat16");
}  // namespace attnscope::streaming
#endif
