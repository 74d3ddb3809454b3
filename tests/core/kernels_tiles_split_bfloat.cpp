// tests: the kernels for matrix units with tiles emulated by ordinary code, for machines without such units:
// all but four instructions are those of the product.
#if defined(__x86_64__)
#define ATTNSCOPE_KERNEL tiles_split_bfloat
#define ATTNSCOPE_LANES 16
#define ATTNSCOPE_BFLOAT_PARTS 2
#define ATTNSCOPE_EMULATED_TILES
#include "core/streaming/kernels/kernel_unit.hpp"

namespace attnscope::streaming {
extern const Kernels kernels_tiles_split_bfloat;
const Kernels kernels_tiles_split_bfloat = tiles_split_bfloat::table("emulated tiles, split bfloat16");
}  // namespace attnscope::streaming
#endif
