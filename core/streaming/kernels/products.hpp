// core/streaming/kernels: the matrix products of the kernels. One operand is read in place, number by number;
// the other one and the result are panels: [rows][PW], with PW lanes in a row. Included by the kernels only,
// see lanes.hpp.
#pragma once

#include "core/streaming/kernels/lanes.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr int NV = W == 16 ? 4 : 2;  // vectors in a row of a panel
constexpr int PW = NV * W;           // lanes of a panel
constexpr int MR = W == 4 ? 4 : 6;   // rows of the result kept in registers: fills 12 of 16, 24 of 32
static_assert(MR * NV <= 24);

/// How a row of results is stored.
enum class Keep {
  Store,       // C = A·B
  StoreMax,    // and `extra` [PW] is raised to the maximum of each row
  Accumulate,  // C = C · extra + A·B
};

/// A(m, k) = data[m * row + k * step].
struct Scalars {
  const float* data;
  int64_t row, step;
};

template <int M, Keep keep>
ATTNSCOPE_INLINE void few_rows(Scalars a, const float* __restrict b, int depth, float* __restrict c,
                               float* __restrict extra) {
  Vec sum[M][NV];
  ATTNSCOPE_UNROLL for (int m = 0; m < M; ++m) ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v) sum[m][v] =
      Vec{};
  const float* at = a.data;
  for (int k = 0; k < depth; ++k) {
    Vec right[NV];
    ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v) right[v] = load(b + v * W);
    ATTNSCOPE_UNROLL for (int m = 0; m < M; ++m) {
      const Vec left = all(at[m * a.row]);
      ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v) sum[m][v] = multiply_add(left, right[v], sum[m][v]);
    }
    at += a.step;
    b += PW;
  }
  if constexpr (keep == Keep::Accumulate) {
    // One block of keys is summed before it is added to the long sum: that loses fewer bits.
    ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v) {
      const Vec shrink = load(extra + v * W);
      ATTNSCOPE_UNROLL for (int m = 0; m < M; ++m)
          store(c + m * PW + v * W, multiply_add(load(c + m * PW + v * W), shrink, sum[m][v]));
    }
  } else {
    ATTNSCOPE_UNROLL for (int m = 0; m < M; ++m) ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v)
        store(c + m * PW + v * W, sum[m][v]);
  }
  if constexpr (keep == Keep::StoreMax) {
    ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v) {
      Vec most = load(extra + v * W);
      ATTNSCOPE_UNROLL for (int m = 0; m < M; ++m) most = larger(most, sum[m][v]);
      store(extra + v * W, most);
    }
  }
}

template <int M, Keep keep>
__attribute__((noinline)) static void one_count(Scalars a, const float* b, int depth, float* c,
                                                float* extra) {
  few_rows<M, keep>(a, b, depth, c, extra);
}

/// The `between` of products that need none.
struct Nothing {
  void operator()() const {}
};

/// C [rows][PW] from A [rows][depth] and B [depth][PW]; `between` is called between groups of rows.
template <Keep keep, class Between = Nothing>
static void product(Scalars a, int rows, const float* b, int depth, float* c, float* extra,
                    Between between = {}) {
  int m = 0;
  const auto rest = [&] { return Scalars{a.data + m * a.row, a.row, a.step}; };
  for (; m + MR <= rows; m += MR) {
    between();
    few_rows<MR, keep>(rest(), b, depth, c + m * PW, extra);
  }
  if constexpr (MR > 4) {
    if (m + 4 <= rows) {
      one_count<4, keep>(rest(), b, depth, c + m * PW, extra);
      m += 4;
    }
  }
  if (m + 2 <= rows) {
    one_count<2, keep>(rest(), b, depth, c + m * PW, extra);
    m += 2;
  }
  if (m < rows) one_count<1, keep>(rest(), b, depth, c + m * PW, extra);
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
