// gpu: the thread context of gpu/kernels on a graphics card.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "gpu/kernels/context.hpp"

namespace attnscope::gpu {

extern __shared__ __align__(128) unsigned char block_memory[];

struct DeviceContext {
  __device__ __forceinline__ int thread() const { return static_cast<int>(threadIdx.x); }
  __device__ __forceinline__ int block() const { return static_cast<int>(blockIdx.x); }
  __device__ __forceinline__ int blocks() const { return static_cast<int>(gridDim.x); }
  template <class T>
  __device__ __forceinline__ T* shared(std::uint32_t offset) const {
    return reinterpret_cast<T*>(block_memory + offset);
  }
  __device__ __forceinline__ void read4(float* to, const float* from) const {
    const float4 x = *reinterpret_cast<const float4*>(from);
    to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w;
  }
  __device__ __forceinline__ void read2(float* to, const float* from) const {
    const float2 x = *reinterpret_cast<const float2*>(from);
    to[0] = x.x, to[1] = x.y;
  }

  __device__ __forceinline__ void sync() const { __syncthreads(); }
  template <class T>
  __device__ __forceinline__ T exchange(T x, int mask) const {
    return __shfl_xor_sync(~0u, x, mask);
  }
  __device__ __forceinline__ float exp2(float x) const {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  __device__ __forceinline__ float tanh(float x) const { return tanhf(x); }
  __device__ __forceinline__ float fma(float a, float b, float c) const { return __fmaf_rn(a, b, c); }
  __device__ __forceinline__ float erfc(float x) const { return erfcf(x); }
  __device__ __forceinline__ int exponent(float x) const {
    return static_cast<int>(__float_as_uint(x) >> 23) - 127;
  }
  __device__ __forceinline__ float power_of_two(int i) const {
    return __uint_as_float(static_cast<std::uint32_t>(i + 127) << 23);
  }
  __device__ __forceinline__ double exp(double x) const { return ::exp(x); }
  __device__ __forceinline__ double log(double x) const { return ::log(x); }
  /// Rounds to the nearest, ties to even, by hand: the instruction exists from compute capability 8.0 on.
  __device__ __forceinline__ std::uint16_t bfloat(float x) const {
    const std::uint32_t bits = __float_as_uint(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fc0;
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
  __device__ __forceinline__ float widened(std::uint16_t x) const {
    return __uint_as_float(static_cast<std::uint32_t>(x) << 16);
  }
  __device__ __forceinline__ std::uint16_t half(float x) const {
    return __half_as_ushort(__float2half_rn(x));
  }
  __device__ __forceinline__ float of_half(std::uint16_t x) const {
    return __half2float(__ushort_as_half(x));
  }
  __device__ __forceinline__ unsigned look(const unsigned* word) const {
    return threadIdx.x == 0 ? *static_cast<const volatile unsigned*>(word) : 0;
  }
  __device__ __forceinline__ bool stale(unsigned seen, unsigned wanted) const {
    return __syncthreads_or(threadIdx.x == 0 && seen != wanted) != 0;
  }

#if __CUDA_ARCH__ >= 800
  __device__ __forceinline__ std::uint32_t pack(float low, float high) const {
    std::uint32_t packed;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
    return packed;
  }
  __device__ __forceinline__ void load4(std::uint32_t (&r)[4], std::uint32_t offset) const {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address(offset))
                 : "memory");
  }
  __device__ __forceinline__ void load4_transposed(std::uint32_t (&r)[4], std::uint32_t offset) const {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address(offset))
                 : "memory");
  }
  __device__ __forceinline__ void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                           std::uint32_t b1) const {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
  __device__ __forceinline__ void copy16(std::uint32_t to, const void* from, bool real) const {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address(to)), "l"(from),
                 "r"(real ? 16 : 0)
                 : "memory");
  }
  __device__ __forceinline__ void commit() const { asm volatile("cp.async.commit_group;" ::: "memory"); }
  template <int N>
  __device__ __forceinline__ void wait() const {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
  }
#else
  // No asynchronous copies: they land at once. Matrix units are never launched here.
  __device__ __forceinline__ void copy16(std::uint32_t to, const void* from, bool real) const {
    *shared<float4>(to) = real ? *static_cast<const float4*>(from) : float4{0, 0, 0, 0};
  }
  __device__ __forceinline__ void commit() const {}
  template <int N>
  __device__ __forceinline__ void wait() const {}
#endif

 private:
  __device__ __forceinline__ std::uint32_t address(std::uint32_t offset) const {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(block_memory)) + offset;
  }
};

}  // namespace attnscope::gpu
