// tests: the kernels for matrix units with tiles that are ordinary code, for machines without: all but four
// instructions is what the product runs.
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
