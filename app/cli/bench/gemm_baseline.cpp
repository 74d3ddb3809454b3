// app/cli/bench: Eigen's matrix product for one instruction set, see gemm.hpp.
#define ATTNSCOPE_GEMM baseline
#define ATTNSCOPE_GEMM_EIGEN Eigen_baseline
#include "app/cli/bench/gemm_unit.hpp"
