// tests/bench: Eigen's matrix product, compiled once for each instruction set (CMakeLists.txt chooses which),
// as the yardstick of `attnscope_bench`.
#pragma once

#include <cstdint>

namespace attnscope::gemm {

/// Rows [first, last) of C = A·B; all three are row-major n x n.
using Product = void (*)(const float* a, const float* b, float* c, std::int64_t n, std::int64_t first,
                         std::int64_t last);

extern const Product baseline;
#if defined(__x86_64__)
extern const Product avx2, avx512;
#endif

}  // namespace attnscope::gemm
