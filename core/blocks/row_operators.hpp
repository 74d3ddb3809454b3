// core/blocks: the operators that the blocks of a model are made of. Their rows lie where the operators
// compute: in main memory, or on a GPU, where weights and rows stay from one operator to the next.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/activation.hpp"
#include "core/base/norm.hpp"
#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/blocks/float_rows.hpp"
#include "core/blocks/weight_product.hpp"
#include "core/streaming/sweep.hpp"
#include "core/transformer/positions/rotate_in_place.hpp"

namespace attnscope {

/// The purpose of rows. The memory of each purpose is reused.
enum class RowBuffer : std::uint8_t { Stream, Other, Normed, Projected, Heads, Inner, Up, Out };
inline constexpr int row_purposes = 8;

/// Rows are given as FloatRows whose numbers only these operators may read, unless is_here(). Sizes must fit;
/// sources and results are the same rows or do not overlap. Not thread-safe. Each throws Error or Cancelled.
class RowOperators {
 public:
  virtual ~RowOperators() = default;
  /// Whether rows lie in main memory, where any code may read and write them.
  virtual bool is_here() const = 0;
  /// The device: "CUDA · NVIDIA H200"; empty for the CPU.
  virtual std::string_view name() const = 0;
  /// One sentence if part of the work was not computed on the device name(), with the reason; else empty.
  virtual std::string_view remark() const = 0;
  /// Uninitialised rows, valid until the next rows for the same purpose are made.
  virtual FloatRows make(RowBuffer, std::int64_t rows, std::int64_t width) = 0;
  /// Copies rows from main memory, and to it.
  virtual void bring(const Work&, const ConstFloatRows& here, const FloatRows& there) = 0;
  virtual void fetch(const Work&, const ConstFloatRows& there, const FloatRows& here) = 0;

  virtual void copy(const Work&, const ConstFloatRows& from, const FloatRows& to) = 0;
  virtual void clear(const Work&, const FloatRows& x) = 0;
  /// x += more.
  virtual void add(const Work&, const ConstFloatRows& more, const FloatRows& x) = 0;
  /// Like normalise_rows(); y may be x. The parameters are in main memory.
  virtual void norm(const Work&, const NormSettings&, const NormParameters<float>&, const ConstFloatRows& x,
                    const FloatRows& y) = 0;
  /// The same for each head's d numbers, in place.
  virtual void norm_heads(const Work&, const NormSettings&, const NormParameters<float>&,
                          const HeadsInRows& x, std::int64_t d) = 0;
  /// Like multiply().
  virtual void multiply(const Work&, const ConstFloatRows& x, const LinearMap&, const FloatRows& y) = 0;
  /// x = f(x); gate = f(gate)·up.
  virtual void activate(const Work&, Activation, const FloatRows& x) = 0;
  virtual void gate(const Work&, Activation, const FloatRows& gate, const ConstFloatRows& up) = 0;
  /// As rotate_in_place().
  virtual void rotate(const Work&, Positions, const RopeFrequencies&, std::span<const std::int64_t> positions,
                      const HeadsInRows&) = 0;

  /// Like sweep_into(). The problem's numbers are in main memory; if they belong to a tensor that keep() made
  /// (see HeadRows), they are read from that tensor.
  virtual void sweep(const Work&, Sweep& result, const AttentionProblem&, const SweepRequest&) = 0;
  /// The output of a sweep, [heads][rows][d], as rows of concatenated heads. May move from `heads`.
  virtual void concat_heads(const Work&, Tensor& heads, const FloatRows& to) = 0;
  /// A tensor [rows][width] with the `first` first rows of `before` (made by keep(), or null if there are
  /// none) followed by `rows`. It may lie where the operators compute; null where that brings nothing.
  virtual TensorPtr keep(const Work&, const TensorPtr& before, std::int64_t first,
                         const ConstFloatRows& rows) = 0;

  /// y = x·W + b of rows in main memory, if that is faster on the device than on the CPU. Returns false if
  /// not, and does nothing.
  virtual bool multiply_here(const Work&, const ConstFloatRows& x, const LinearMap&, const FloatRows& y) = 0;
};

/// Makes operators for a model with this number of weights; null if the CPU runs it, with a sentence in
/// `why_not` if that is not what was requested.
using MakeRowOperators =
    std::function<std::shared_ptr<RowOperators>(std::int64_t weights, std::string& why_not)>;

/// Computes with the CPU's kernels. The bits of a row depend on that row alone.
class CpuRows : public RowOperators {
 public:
  bool is_here() const override { return true; }
  std::string_view name() const override { return {}; }
  std::string_view remark() const override { return {}; }
  FloatRows make(RowBuffer, std::int64_t rows, std::int64_t width) override;
  void bring(const Work&, const ConstFloatRows& here, const FloatRows& there) override;
  void fetch(const Work&, const ConstFloatRows& there, const FloatRows& here) override;
  void copy(const Work&, const ConstFloatRows& from, const FloatRows& to) override;
  void clear(const Work&, const FloatRows& x) override;
  void add(const Work&, const ConstFloatRows& more, const FloatRows& x) override;
  void norm(const Work&, const NormSettings&, const NormParameters<float>&, const ConstFloatRows& x,
            const FloatRows& y) override;
  void norm_heads(const Work&, const NormSettings&, const NormParameters<float>&, const HeadsInRows& x,
                  std::int64_t d) override;
  void multiply(const Work&, const ConstFloatRows& x, const LinearMap&, const FloatRows& y) override;
  void activate(const Work&, Activation, const FloatRows& x) override;
  void gate(const Work&, Activation, const FloatRows& gate, const ConstFloatRows& up) override;
  void rotate(const Work&, Positions, const RopeFrequencies&, std::span<const std::int64_t> positions,
              const HeadsInRows&) override;
  void sweep(const Work&, Sweep& result, const AttentionProblem&, const SweepRequest&) override;
  void concat_heads(const Work&, Tensor& heads, const FloatRows& to) override;
  TensorPtr keep(const Work&, const TensorPtr&, std::int64_t, const ConstFloatRows&) override { return {}; }
  bool multiply_here(const Work&, const ConstFloatRows&, const LinearMap&, const FloatRows&) override {
    return false;
  }

 private:
  std::array<SpreadRows, row_purposes> rooms_;
};

}  // namespace attnscope
