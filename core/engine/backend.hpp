// core/engine: the interface of everything that computes stages. The CPU backend always works; gpu/ has
// another.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/analysis/measures.hpp"
#include "core/base/parallel.hpp"
#include "core/document/document.hpp"
#include "core/document/stage.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

// Defined in core/streaming/tile.hpp, for files that call sweep().
struct AttentionProblem;
struct PooledCells;
struct PooledTile;
struct Sweep;
struct SweepProgress;
struct SweepRequest;
struct TileRequest;

class Backend {
 public:
  virtual ~Backend() = default;
  /// "CPU · 2 threads"
  virtual std::string_view name() const = 0;
  /// One stage. `document` passed check(); every stage this one reads is in `so_far` and was produced by this
  /// same object. Null if the stage does not exist for this Document. Throws Cancelled soon after `stop`
  /// fires. Called from one thread at a time.
  virtual TensorPtr run(Stage, const Document& document, const Trace& so_far, std::stop_token stop) = 0;
  /// The measures of a Trace that this object computed. `facts`: those of the same mask and tokens, or null.
  /// By default computed on the threads of on_cpu(). Throws Error or Cancelled. Called as run().
  virtual Measures measure(const Document&, const Trace&, MaskFactsPtr facts, std::stop_token stop);
  /// overview_of() a tensor of weights that this object computed; null if the weights are in main memory.
  /// Throws Error or Cancelled. Called as run().
  virtual TensorPtr overview(const TensorPtr& weights, std::stop_token stop);
  /// One sentence if the last sweep was not done by the device of name(), with the reason; else empty. Called
  /// as run().
  virtual std::string remark() const { return {}; }
  /// Called when another backend takes over: frees what is only kept for later. Must not throw. Called as
  /// run().
  virtual void rest() {}
  /// Calls `fn` with the CPU threads of this backend, for work that backends do not implement: gradients.
  /// Throws what `fn` throws. Called from one thread at a time, as run().
  virtual void on_cpu(std::stop_token stop, const std::function<void(const Work&)>& fn) = 0;
  /// For long sequences, which have no Trace: one pass that computes everything whose size is linear in
  /// queries plus keys. Throws Error or Cancelled. `progress` may be null. Called from one thread at a time,
  /// as run().
  virtual Sweep sweep(const AttentionProblem&, const SweepRequest&, std::stop_token stop,
                      SweepProgress* progress) = 0;
  /// The number of query-key pairs of all heads that sweep() computes in some hundredths of a second: a long
  /// sequence with no more pairs is swept at once instead of coarse to fine. 0: none. May be called from any
  /// thread.
  virtual std::int64_t pairs_in_a_moment() const { return 0; }
  /// Exact cells of a rectangle of one head. `known`: a sweep of the same problem, or null.
  virtual Tensor tile(const AttentionProblem&, const TileRequest&, const Sweep* known,
                      std::stop_token stop) = 0;
  /// The weights of a rectangle, pooled in cells.
  virtual PooledTile pooled_tile(const AttentionProblem&, const TileRequest&, const PooledCells&,
                                 const Sweep* known, std::stop_token stop) = 0;
};

/// Works on every machine. Results do not depend on the number of threads.
std::unique_ptr<Backend> make_cpu_backend(SharedPool pool = {});

}  // namespace attnscope
