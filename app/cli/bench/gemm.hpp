// app/cli/bench: Eigen's matrix product, compiled once for each instruction set, as the yardstick of
// `attnscope bench`.
#pragma once

#include <cstdint>

namespace attnscope::gemm {

/// Rows [first, last) of C = A·B; all three are row-major n x n.
using Product = void (*)(const float* a, const float* b, float* c, std::int64_t n, std::int64_t first,
                         std::int64_t last);

void baseline(const float* a, const float* b, float* c, std::int64_t n, std::int64_t first,
              std::int64_t last);
void avx2(const float* a, const float* b, float* c, std::int64_t n, std::int64_t first, std::int64_t last);
void avx512(const float* a, const float* b, float* c, std::int64_t n, std::int64_t first, std::int64_t last);

}  // namespace attnscope::gemm
