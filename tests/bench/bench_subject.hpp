// tests/bench: what `attnscope_bench` times: attention on random numbers, whole or the parts of it that a
// person waits for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/parallel.hpp"
#include "core/streaming/tile.hpp"
#include "tests/bench/bench.hpp"
#include "tests/bench/timing.hpp"

namespace attnscope {

class BenchSubject {
 public:
  /// Throws Error where this machine or this path cannot do what the options say. The options must outlive
  /// it.
  BenchSubject(const BenchOptions& options, const SharedPool& pool);

  /// Random numbers for n queries and keys, one of the lengths of the options.
  void prepare(std::int64_t n);
  /// Once; returns the bytes of the results, which stay until the next run.
  std::int64_t run();
  /// The same without the mask that is given cell by cell.
  std::int64_t run_unmasked();

  /// Multiply-adds that one run is asked for, times two; halved by a causal mask.
  double flops() const;
  const BenchIsa& isa() const { return isa_; }
  /// What computes: the instruction set or the card.
  std::string_view computes() const { return card_ ? card_->name() : isa_.name; }
  /// "output,entropy"
  std::string emitted() const;

 private:
  bool has(BenchPart part) const { return options_.emit.contains(part); }
  AttentionProblem problem(bool masked = true) const;
  void make_mask(std::int64_t n);
  TileRequest tile_request() const;
  std::int64_t run_streaming(bool masked);
  std::int64_t run_staged();
  std::int64_t run_first_look();
  std::int64_t run_tile();

  const BenchOptions& options_;
  SharedPool pool_;
  BenchIsa isa_;
  const streaming::Kernels* kernels_;  // of the streaming path
  std::shared_ptr<Backend> card_;      // null: the CPU computes
  std::shared_ptr<Backend> backend_;   // of the other paths
  TensorPtr query_, key_, value_;
  std::vector<std::uint8_t> allowed_;
  std::vector<float> additive_;
  Sweep made_;   // its memory serves again, as in the window
  Sweep known_;  // of the rows that a tile is made of
};

}  // namespace attnscope
