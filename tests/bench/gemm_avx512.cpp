// tests/bench: Eigen's matrix product for x86-64-v4: AVX-512.
#define Eigen Eigen_avx512
#include "tests/bench/gemm_unit.hpp"

namespace attnscope::gemm {
const Product avx512 = &multiply;
}  // namespace attnscope::gemm
