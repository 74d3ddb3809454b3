// tests/bench: one copy of Eigen's matrix product, for the file of one instruction set. That file gives
// Eigen's namespace a name of its own first, so that the linker cannot mix code for different instruction
// sets.
#pragma once

#include <Eigen/Core>

#include "tests/bench/gemm.hpp"

namespace attnscope::gemm {
namespace {

void multiply(const float* a, const float* b, float* c, std::int64_t n, std::int64_t first,
              std::int64_t last) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> left(a, n, n), right(b, n, n);
  Eigen::Map<Matrix> result(c, n, n);
  result.middleRows(first, last - first).noalias() = left.middleRows(first, last - first) * right;
}

}  // namespace
}  // namespace attnscope::gemm
