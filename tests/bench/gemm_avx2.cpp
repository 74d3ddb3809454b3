// tests/bench: Eigen's matrix product for x86-64-v3: AVX2 and FMA.
#define Eigen Eigen_avx2
#include "tests/bench/gemm_unit.hpp"

namespace attnscope::gemm {
const Product avx2 = &multiply;
}  // namespace attnscope::gemm
