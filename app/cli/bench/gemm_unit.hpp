// app/cli/bench: one copy of Eigen's matrix product. Its namespace gets a name of its own in each file, so
// that the linker cannot mix code for different instruction sets.
#pragma once

#ifdef ATTNSCOPE_GEMM_ABSENT
#include "app/cli/bench/gemm.hpp"

namespace attnscope::gemm {

// A program that was built for one machine refuses to measure other kernels (bench_isa()): nothing calls
// this.
void ATTNSCOPE_GEMM(const float*, const float*, float*, std::int64_t, std::int64_t, std::int64_t) {}

}  // namespace attnscope::gemm
#else

#define Eigen ATTNSCOPE_GEMM_EIGEN
#include <Eigen/Core>

#include "app/cli/bench/gemm.hpp"

namespace attnscope::gemm {

void ATTNSCOPE_GEMM(const float* a, const float* b, float* c, std::int64_t n, std::int64_t first,
                    std::int64_t last) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> left(a, n, n), right(b, n, n);
  Eigen::Map<Matrix> result(c, n, n);
  result.middleRows(first, last - first).noalias() = left.middleRows(first, last - first) * right;
}

}  // namespace attnscope::gemm

#undef Eigen
#endif
