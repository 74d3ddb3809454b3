// gpu: the thread context of gpu/kernels on a graphics card.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "gpu/kernels/context.hpp"

namespace attnscope::gpu {

// Products of warpgroups find rows by the address: tiles lie at multiples of 1024.
extern __shared__ __align__(1024) unsigned char block_memory[];

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

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __device__ __forceinline__ void sync_group() const {
    asm volatile("bar.sync %0, 128;" ::"r"(1 + threadIdx.x / 128) : "memory");
  }
  __device__ __forceinline__ void sync_warp() const { __syncwarp(); }
  __device__ __forceinline__ bool changed(const unsigned* word, unsigned wanted) const {
    return *static_cast<const volatile unsigned*>(word) != wanted;
  }
  __device__ __forceinline__ void publish() const {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __device__ __forceinline__ void open_signal(std::uint32_t at, unsigned arrivals) const {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(at)), "r"(arrivals) : "memory");
  }
  __device__ __forceinline__ void arrive(std::uint32_t at) const {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(at)) : "memory");
  }
  __device__ __forceinline__ void expect(std::uint32_t at, std::uint32_t bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(at)), "r"(bytes)
                 : "memory");
  }
  __device__ __forceinline__ void wait_for(std::uint32_t at, unsigned parity) const {
    unsigned ended;
    do {
      asm volatile(
          "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
          "selp.u32 %0, 1, 0, p;\n}"
          : "=r"(ended)
          : "r"(address(at)), "r"(parity)
          : "memory");
    } while (ended == 0);
  }
  __device__ __forceinline__ void copy_bulk(std::uint32_t to, const void* from, std::uint32_t bytes,
                                            std::uint32_t at) const {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            address(to)),
        "l"(from), "r"(bytes), "r"(address(at))
        : "memory");
  }
  /// PTX ISA, "Matrix Descriptor Format": addresses and distances without their last four bits; mode 1 is the
  /// exchange of chunks within 128 bytes.
  __device__ __forceinline__ std::uint64_t operand(std::uint32_t offset, std::uint32_t leading,
                                                   std::uint32_t stride) const {
    return static_cast<std::uint64_t>((address(offset) & 0x3ffffu) >> 4) |
           static_cast<std::uint64_t>(leading >> 4) << 16 | static_cast<std::uint64_t>(stride >> 4) << 32 |
           std::uint64_t{1} << 62;
  }
  template <int N>
  __device__ __forceinline__ void more_registers() const {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
  }
  template <int N>
  __device__ __forceinline__ void fewer_registers() const {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
  }
  template <class... Registers>
  __device__ __forceinline__ void begin_products(Registers&... registers) const {
    (pin(registers), ...);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  }
  __device__ __forceinline__ void commit_products() const {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  }
  template <int N, class... Registers>
  __device__ __forceinline__ void end_products(Registers&... registers) const {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
    (pin(registers), ...);
  }
#define ATTNSCOPE_SUMS4(c, j) "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
#define ATTNSCOPE_SUMS16(c, j) \
  ATTNSCOPE_SUMS4(c, j), ATTNSCOPE_SUMS4(c, j + 1), ATTNSCOPE_SUMS4(c, j + 2), ATTNSCOPE_SUMS4(c, j + 3)
  __device__ __forceinline__ void multiply_group(float (&c)[8][4], std::uint64_t a, std::uint64_t b,
                                                 bool add) const {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,"
        "%27,%28,%29,%30,%31}, %32, %33, p, 1, 1, 0, 0;\n}"
        : ATTNSCOPE_SUMS16(c, 0), ATTNSCOPE_SUMS16(c, 4)
        : "l"(a), "l"(b), "r"(static_cast<int>(add)));
  }
  __device__ __forceinline__ void multiply_group(float (&c)[8][4], const std::uint32_t (&a)[4],
                                                 std::uint64_t b) const {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,"
        "%27,%28,%29,%30,%31}, {%32,%33,%34,%35}, %36, 1, 1, 1, 1;"
        : ATTNSCOPE_SUMS16(c, 0), ATTNSCOPE_SUMS16(c, 4)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
  }
  __device__ __forceinline__ void multiply_group(float (&c)[16][4], const std::uint32_t (&a)[4],
                                                 std::uint64_t b) const {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,"
        "%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,"
        "%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, {%64,%65,%66,%67}, %68, 1, 1, 1, 1;"
        : ATTNSCOPE_SUMS16(c, 0), ATTNSCOPE_SUMS16(c, 4), ATTNSCOPE_SUMS16(c, 8), ATTNSCOPE_SUMS16(c, 12)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
  }
#undef ATTNSCOPE_SUMS16
#undef ATTNSCOPE_SUMS4
#endif

 private:
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  /// Keeps the compiler from moving what reads or writes the registers across this place.
  template <int N>
  __device__ __forceinline__ static void pin(float (&c)[N][4]) {
    ATTNSCOPE_EACH for (int j = 0; j < N; ++j)
        ATTNSCOPE_EACH for (int e = 0; e < 4; ++e) asm volatile("" : "+f"(c[j][e])::"memory");
  }
  template <int N>
  __device__ __forceinline__ static void pin(std::uint32_t (&a)[N][4]) {
    ATTNSCOPE_EACH for (int j = 0; j < N; ++j)
        ATTNSCOPE_EACH for (int e = 0; e < 4; ++e) asm volatile("" : "+r"(a[j][e])::"memory");
  }
#endif
  __device__ __forceinline__ std::uint32_t address(std::uint32_t offset) const {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(block_memory)) + offset;
  }
};

}  // namespace attnscope::gpu
