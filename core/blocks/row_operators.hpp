// core/blocks: the operators that the blocks of a model are made of. Their rows lie where the operators
// compute: in the computer's memory, or on a graphics card, where weights and rows stay from one operator to
// the next.
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
#include "core/blocks/rope.hpp"
#include "core/blocks/weight_product.hpp"
#include "core/streaming/sweep.hpp"

namespace attnscope {

/// What rows are for. Those of each purpose serve again.
enum class RowBuffer : std::uint8_t { Stream, Other, Normed, Projected, Heads, Inner, Up, Out };
inline constexpr int row_purposes = 8;

/// Rows are given as FloatRows whose numbers are read by these operators alone, unless they are here. Sizes
/// must fit; sources and results are the same rows or do not overlap. One thread at a time. Each throws Error
/// or Cancelled.
class RowOperators {
 public:
  virtual ~RowOperators() = default;
  /// Whether rows lie in the computer's memory, where any code may read and write them.
  virtual bool is_here() const = 0;
  /// What computes: "CUDA · NVIDIA H200"; empty: the CPU.
  virtual std::string_view name() const = 0;
  /// One sentence where part of what was asked for was not computed by what the name says, and why; else
  /// empty.
  virtual std::string_view remark() const = 0;
  /// Rows whose numbers are not said, valid until the next ones for the same purpose are made.
  virtual FloatRows make(RowBuffer, std::int64_t rows, std::int64_t width) = 0;
  /// From the computer's memory, and to it.
  virtual void bring(const Work&, const ConstFloatRows& here, const FloatRows& there) = 0;
  virtual void fetch(const Work&, const ConstFloatRows& there, const FloatRows& here) = 0;

  virtual void copy(const Work&, const ConstFloatRows& from, const FloatRows& to) = 0;
  virtual void clear(const Work&, const FloatRows& x) = 0;
  /// x += more.
  virtual void add(const Work&, const ConstFloatRows& more, const FloatRows& x) = 0;
  /// As normalise_rows(); y may be x. The parameters are in the computer's memory.
  virtual void norm(const Work&, const NormSettings&, const NormParameters<float>&, const ConstFloatRows& x,
                    const FloatRows& y) = 0;
  /// The same of each head's d numbers, in place.
  virtual void norm_heads(const Work&, const NormSettings&, const NormParameters<float>&,
                          const HeadsInRows& x, std::int64_t d) = 0;
  /// As multiply().
  virtual void multiply(const Work&, const ConstFloatRows& x, const LinearMap&, const FloatRows& y) = 0;
  /// x = f(x); gate = f(gate)·up.
  virtual void activate(const Work&, Activation, const FloatRows& x) = 0;
  virtual void gate(const Work&, Activation, const FloatRows& gate, const ConstFloatRows& up) = 0;
  /// As rotate_in_place().
  virtual void rotate(const Work&, const RopeSettings&, const RopeFrequencies&,
                      std::span<const std::int64_t> positions, const HeadsInRows&) = 0;

  /// As sweep_into(). The problem's numbers are in the computer's memory; where they are those of a tensor
  /// (see HeadRows) that keep() made, they are read there.
  virtual void sweep(const Work&, Sweep& result, const AttentionProblem&, const SweepRequest&) = 0;
  /// What a sweep gave out, [heads][rows][d], as rows of heads side by side. The tensor may be taken.
  virtual void concat_heads(const Work&, Tensor& heads, const FloatRows& to) = 0;
  /// The first rows of `before` (a tensor that this made, or null where there are none) and behind them
  /// `rows`, as a tensor [rows][width] that may lie where the operators compute; null where that is of no
  /// use.
  virtual TensorPtr keep(const Work&, const TensorPtr& before, std::int64_t first,
                         const ConstFloatRows& rows) = 0;

  /// y = x·W + b of rows in the computer's memory, where that is faster than computing it there. False: it is
  /// not, and nothing was done.
  virtual bool multiply_here(const Work&, const ConstFloatRows& x, const LinearMap&, const FloatRows& y) = 0;
};

/// Operators for a model of so many weights; null where the CPU runs it, and a sentence in `why_not` where
/// that is not what was asked for.
using MakeRowOperators =
    std::function<std::shared_ptr<RowOperators>(std::int64_t weights, std::string& why_not)>;

/// By the CPU's kernels. A row's numbers depend on that row alone, to the bit.
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
  void rotate(const Work&, const RopeSettings&, const RopeFrequencies&,
              std::span<const std::int64_t> positions, const HeadsInRows&) override;
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
