// app/cli/bench: Eigen's matrix product for one instruction set, see gemm.hpp.
#if defined(__x86_64__)
#define ATTNSCOPE_GEMM avx2
#define ATTNSCOPE_GEMM_EIGEN Eigen_avx2
#include "app/cli/bench/gemm_unit.hpp"
#endif
