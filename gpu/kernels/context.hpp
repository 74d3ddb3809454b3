// gpu/kernels: what the kernels are written against. Each is a template over a thread context, so that the
// very same source runs on a graphics card (gpu/device_context.cuh) and, thread by thread, on the emulator of
// the tests (tests/gpu). Nothing here needs a CUDA header, and all of it is C++17.
#pragma once

#include <cmath>
#include <cstdint>

#if defined(__CUDACC__)
#define ATTNSCOPE_THREAD __device__ __forceinline__
#define ATTNSCOPE_BOTH __host__ __device__ __forceinline__
#define ATTNSCOPE_EACH _Pragma("unroll")
#define ATTNSCOPE_SOME _Pragma("unroll 4")
#else
#define ATTNSCOPE_THREAD inline
#define ATTNSCOPE_BOTH inline
#define ATTNSCOPE_EACH
#define ATTNSCOPE_SOME
#endif

// clang-format off
// A thread context `cx` offers:
//
//   int thread(), block(), blocks()         place in the block, place of the block, blocks of the launch
//   T* shared<T>(offset)                    the block's shared memory, offset in bytes
//   void read4(to, from), read2(to, from)   four or two floats at a time, aligned to 16 or 8 bytes
//   void sync()                             barrier of the block
//   float | int exchange(x, mask)           x of the lane (own lane ^ mask) of the warp
//   void load4(r, offset)                   ldmatrix: four 8x8 matrices of 16-bit numbers, rows at the lanes' offsets
//   void load4_transposed(r, offset)        the same, each matrix transposed
//   void multiply(c, a, b0, b1)             mma.m16n8k16: c += a·b, bfloat16 with float32 sums
//   void copy16(offset, from, real)         16 bytes to shared memory, at the latest at the wait; zeros unless real
//   void commit(), wait<N>()                closes a group of copies; waits until at most N groups are under way
//   float exp2(x), tanh(x), fma(a, b, c)
//   float erfc(x)
//   double exp(double), log(double)
//   int exponent(x), float power_of_two(i)  floor(log2 x) of an x > 0 (below 2^-126: at least -127); 2^i
//   uint16_t bfloat(x), uint32_t pack(low, high)   round to nearest even
//   float widened(uint16_t)                 the bfloat16 as a float
//   uint16_t half(x), float of_half(uint16_t)      the same of IEEE's half, which becomes infinite from 65520 on
//   unsigned look(word)                     *word for the block's first thread, anything for the others; may come later
//   bool stale(seen, wanted)                whether the first thread saw another than wanted: the block's barrier
//
// Collectives (sync, exchange, load4, multiply, stale) are reached by all threads of the block or warp or by none.
//
// For kernels of warpgroups (128 threads from a multiple of 128 on), on compute capability 9.0 alone:
//
//   void sync_group(), sync_warp()          barriers of the warpgroup and of the warp
//   bool changed(word, wanted)              whether *word is another than wanted, asked by this thread alone
//   void publish()                          what this thread wrote to shared memory may be read by products of
//                                           warpgroups, and its signals used by bulk copies, after a barrier
//   void open_signal(at, arrivals)          an mbarrier, 8 bytes of shared memory; its phases end after so many
//                                           arrivals and the bytes that were expected
//   void arrive(at), expect(at, bytes)      arrives; with so many bytes that copies bring
//   void wait_for(at, parity)               until the phase of this parity (0 is the first) has ended
//   void more_registers<N>(), fewer_registers<N>()   setmaxnreg, of a whole warpgroup
//   void copy_bulk(to, from, bytes, at)     to shared memory; multiples of 16; tells the signal
//   uint64_t operand(offset, leading, stride)  a matrix in shared memory for products: columns of 64 numbers
//                                           (128 bytes a row, chunk c of row r stands at c ^ r % 8, offset up
//                                           to the row a multiple of 1024); eight rows are `stride` bytes from
//                                           the next eight, 64 columns `leading` bytes from the next
//   void begin_products(registers…)         before products: these registers are as they should be
//   void multiply_group(c, a, b, add)       wgmma.m64n(8 N)k16: c = a·bᵀ, or c += a·bᵀ: 64 rows and 16 columns
//                                           of operand a, 8 N rows and 16 columns of operand b
//   void multiply_group(c, a[4], b)         c += a·b: a of registers, 16 rows and 8 N columns of operand b
//   void commit_products()                  closes a group of products
//   void end_products<N>(registers…)        until at most N groups are under way; these may be read then
//
// Collectives of the warpgroup: sync_group, registers and everything about products.
// clang-format on

namespace attnscope::gpu {

/// Queries, and keys, in one tile.
constexpr int tile = 64;

constexpr float minus_infinity = -__builtin_huge_valf();

template <class T>
ATTNSCOPE_BOTH T smaller_of(T a, T b) {
  return b < a ? b : a;
}
template <class T>
ATTNSCOPE_BOTH T larger_of(T a, T b) {
  return a < b ? b : a;
}

/// The larger of two floats; the number when one of them is NaN.
ATTNSCOPE_THREAD float most_of(float a, float b) { return fmaxf(a, b); }

}  // namespace attnscope::gpu
