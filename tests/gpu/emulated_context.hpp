// tests: the thread context of gpu/kernels on an emulated block.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>

#include <Eigen/Core>

#include "gpu/emulated_block.hpp"

namespace attnscope::emulator {

/// To the nearest, ties to even; NaN stays NaN.
inline std::uint16_t to_bfloat(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fc0;
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
inline float from_bfloat(std::uint16_t x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16);
}
inline float from_half(std::uint16_t x) {
  return static_cast<float>(Eigen::half(Eigen::half_impl::raw_uint16_to_half(x)));
}

class Context {
 public:
  Context(Block& own, int thread, int block, int blocks)
      : own_(own), thread_(thread), block_(block), blocks_(blocks) {}

  int thread() const { return thread_; }
  int block() const { return block_; }
  int blocks() const { return blocks_; }
  template <class T>
  T* shared(std::size_t offset) {
    return static_cast<T*>(own_.shared(offset, sizeof(T), alignof(T)));
  }
  void read4(float* to, const float* from) { read(to, from, 4); }
  void read2(float* to, const float* from) { read(to, from, 2); }

  void sync() { own_.sync(); }
  template <class T>
  T exchange(T x, int mask) {
    struct Lane {
      T in, out;
      int mask;
    } lane{x, x, mask};
    own_.meet(Block::Instruction::Exchange, &lane, [](Block&, void* const* lanes) {
      for (int i = 0; i < 32; ++i) {
        auto& one = *static_cast<Lane*>(lanes[i]);
        one.out = static_cast<const Lane*>(lanes[i ^ one.mask])->in;
      }
    });
    return lane.out;
  }
  void load4(std::uint32_t (&r)[4], std::uint32_t offset) { load<false>(r, offset); }
  void load4_transposed(std::uint32_t (&r)[4], std::uint32_t offset) { load<true>(r, offset); }

  void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    Product lane{c, a, {b0, b1}};
    own_.meet(Block::Instruction::Multiply, &lane, &multiply_warp);
  }

  void copy16(std::uint32_t to, const void* from, bool real) { own_.copy16(to, from, real); }
  void commit() { own_.commit(); }
  template <int N>
  void wait() {
    own_.wait(N);
  }

  void sync_group() {
    meet_group(Block::GroupInstruction::Sync, nullptr, [](Block& block, int first, void* const*) {
      block.groups().passed(first, first + Groups::lanes);
    });
  }
  void sync_warp() {
    own_.meet(Block::Instruction::SyncWarp, nullptr, [](Block&, void* const*) {});
  }
  bool changed(const unsigned* word, unsigned wanted) const { return *word != wanted; }
  void publish() { own_.groups().publish(); }
  void open_signal(std::uint32_t at, unsigned arrivals) { own_.groups().open(at, arrivals); }
  void arrive(std::uint32_t at) { own_.groups().arrive(at, 0); }
  void expect(std::uint32_t at, std::uint32_t bytes) { own_.groups().arrive(at, bytes); }
  void wait_for(std::uint32_t at, unsigned parity) { own_.wait_for(at, parity); }
  void copy_bulk(std::uint32_t to, const void* from, std::uint32_t bytes, std::uint32_t at) {
    own_.groups().copy(to, from, bytes, at);
  }
  template <int N>
  void more_registers() {
    static_assert(N % 8 == 0 && N >= 24 && N <= 256);
    meet_group(Block::GroupInstruction::Registers, nullptr, [](Block&, int, void* const*) {});
  }
  template <int N>
  void fewer_registers() {
    more_registers<N>();
  }
  /// PTX ISA, "Matrix Descriptor Format".
  std::uint64_t operand(std::uint32_t offset, std::uint32_t leading, std::uint32_t stride) const {
    return static_cast<std::uint64_t>((offset & 0x3ffff) >> 4) |
           static_cast<std::uint64_t>(leading >> 4) << 16 | static_cast<std::uint64_t>(stride >> 4) << 32 |
           std::uint64_t{1} << 62;
  }
  template <class... Registers>
  void begin_products(Registers&...) {
    meet_group(Block::GroupInstruction::Begin, nullptr,
               [](Block& block, int first, void* const*) { block.groups().begin(first); });
  }
  template <int N>
  void multiply_group(float (&c)[N][4], std::uint64_t a, std::uint64_t b, bool add) {
    multiply_tiles({c[0], 8 * N, nullptr, a, b, add});
  }
  template <int N>
  void multiply_group(float (&c)[N][4], const std::uint32_t (&a)[4], std::uint64_t b) {
    multiply_tiles({c[0], 8 * N, a, 0, b, true});
  }
  void commit_products() {
    meet_group(Block::GroupInstruction::Commit, nullptr,
               [](Block& block, int first, void* const*) { block.groups().commit(first); });
  }
  template <int N, class... Registers>
  void end_products(Registers&...) {
    meet_group(Block::GroupInstruction::End, nullptr,
               [](Block& block, int first, void* const*) { block.groups().end(first, N); });
  }

  float exp2(float x) const { return std::exp2(x); }
  float tanh(float x) const { return std::tanh(x); }
  float fma(float a, float b, float c) const { return std::fma(a, b, c); }
  float erfc(float x) const { return std::erfc(x); }
  int exponent(float x) const { return static_cast<int>(std::bit_cast<std::uint32_t>(x) >> 23) - 127; }
  float power_of_two(int i) const { return std::ldexp(1.0f, i); }
  double exp(double x) const { return std::exp(x); }
  double log(double x) const { return std::log(x); }
  std::uint16_t bfloat(float x) const { return to_bfloat(x); }
  std::uint32_t pack(float low, float high) const {
    return to_bfloat(low) | static_cast<std::uint32_t>(to_bfloat(high)) << 16;
  }
  float widened(std::uint16_t x) const { return from_bfloat(x); }
  std::uint16_t half(float x) const { return Eigen::half(x).x; }
  float of_half(std::uint16_t x) const { return from_half(x); }
  unsigned look(const unsigned* word) {
    if (thread_ != 0) return ~*word;
    const unsigned seen = *word;
    if (own_.on_look) own_.on_look();
    return seen;
  }
  bool stale(unsigned seen, unsigned wanted) {
    if (thread_ == 0) own_.is_stale = seen != wanted;
    own_.sync();
    return own_.is_stale;
  }

 private:
  struct Product {
    float* c;
    const std::uint32_t* a;
    std::uint32_t b[2];
  };
  struct LoadLane {
    std::uint32_t* r;
    std::size_t offset;
  };

  void meet_group(Block::GroupInstruction instruction, void* arguments,
                  void (*perform)(Block&, int first, void* const* lanes)) {
    own_.meet_group(instruction, arguments, perform);
  }
  void multiply_tiles(GroupProduct lane) {
    meet_group(Block::GroupInstruction::Product, &lane,
               [](Block& block, int first, void* const* lanes) { block.groups().multiply(first, lanes); });
  }
  void read(float* to, const float* from, std::size_t count) {
    std::memcpy(to, std::assume_aligned<8>(from), count * sizeof(float));
  }

  /// PTX ISA, ldmatrix: lane 8i + j names row j of matrix i; lane 4g + t gets columns 2t, 2t + 1 of row g.
  template <bool Transposed>
  void load(std::uint32_t (&r)[4], std::uint32_t offset) {
    LoadLane lane{r, offset};
    own_.meet(Transposed ? Block::Instruction::LoadTransposed : Block::Instruction::Load, &lane,
              [](Block& block, void* const* lanes) {
                for (int i = 0; i < 4; ++i) {
                  std::uint16_t matrix[8][8];
                  unsigned banks = 0;  // eight of 16 bytes
                  for (int row = 0; row < 8; ++row) {
                    const std::size_t at = static_cast<LoadLane*>(lanes[i * 8 + row])->offset;
                    std::memcpy(matrix[row], block.shared(at, 16, 16), 16);
                    banks |= 1u << at / 16 % 8;
                  }
                  if (banks != 0xff) block.fail("rows of a matrix meet in a bank");
                  for (int l = 0; l < 32; ++l) {
                    const int g = l / 4, t = l % 4 * 2;
                    const std::uint32_t low = Transposed ? matrix[t][g] : matrix[g][t],
                                        high = Transposed ? matrix[t + 1][g] : matrix[g][t + 1];
                    static_cast<LoadLane*>(lanes[l])->r[i] = low | high << 16;
                  }
                }
              });
  }

  /// PTX ISA, mma.m16n8k16 with .bf16: where the elements of A (16 x 16), B (16 x 8) and C (16 x 8) lie.
  static void multiply_warp(Block&, void* const* lanes) {
    float a[16][16], b[16][8];
    for (int l = 0; l < 32; ++l) {
      const auto& lane = *static_cast<const Product*>(lanes[l]);
      const int g = l / 4, t = l % 4 * 2;
      for (int i = 0; i < 4; ++i)
        for (int half = 0; half < 2; ++half)
          a[g + 8 * (i % 2)][t + half + 8 * (i / 2)] =
              from_bfloat(static_cast<std::uint16_t>(lane.a[i] >> (16 * half)));
      for (int i = 0; i < 2; ++i)
        for (int half = 0; half < 2; ++half)
          b[t + half + 8 * i][g] = from_bfloat(static_cast<std::uint16_t>(lane.b[i] >> (16 * half)));
    }
    for (int l = 0; l < 32; ++l) {
      const auto& lane = *static_cast<const Product*>(lanes[l]);
      const int g = l / 4, t = l % 4 * 2;
      for (int i = 0; i < 4; ++i) {
        float sum = 0;
        for (int k = 0; k < 16; ++k) sum += a[g + 8 * (i / 2)][k] * b[k][t + i % 2];
        lane.c[i] += sum;
      }
    }
  }

  Block& own_;
  int thread_, block_, blocks_;
};

}  // namespace attnscope::emulator
