// tests/bench: Eigen's matrix product for any machine: 128-bit vectors.
#define Eigen Eigen_baseline
#include "tests/bench/gemm_unit.hpp"

namespace attnscope::gemm {
const Product baseline = &multiply;
}  // namespace attnscope::gemm
