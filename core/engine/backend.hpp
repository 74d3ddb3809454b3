// core/engine: the smallest interface behind which the numbers are computed. The CPU one always works; gpu/
// offers another.
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

// Of core/streaming/tile.hpp, which files that sweep include.
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
  /// same object. Null where the stage does not exist for this Document. Throws Cancelled soon after `stop`
  /// fires. Called from one thread at a time.
  virtual TensorPtr run(Stage, const Document& document, const Trace& so_far, std::stop_token stop) = 0;
  /// What is read off the weights of a Trace of this object. `facts`: those of the same mask and tokens, or
  /// null. By itself on_cpu()'s threads do it. Throws Error or Cancelled. Called as run().
  virtual Measures measure(const Document&, const Trace&, MaskFactsPtr facts, std::stop_token stop);
  /// overview_of() a tensor of weights of this object; null where they are at hand. Throws Error or
  /// Cancelled. Called as run().
  virtual TensorPtr overview(const TensorPtr& weights, std::stop_token stop);
  /// One sentence where what was swept last was not swept by what the name says, and why; else empty.
  /// Called as run().
  virtual std::string remark() const { return {}; }
  /// Another backend computes from here on: what is only kept for later goes. Throws nothing. Called as
  /// run().
  virtual void rest() {}
  /// Calls `fn` with the CPU threads that belong to this backend, for what no backend does in its own way:
  /// gradients. Throws what it throws. Called from one thread at a time, as run().
  virtual void on_cpu(std::stop_token stop, const std::function<void(const Work&)>& fn) = 0;
  /// Long sequences, which have no Trace: everything that grows with queries plus keys only, in one pass.
  /// Throws Error or Cancelled. `progress` may be null. Called from one thread at a time, as run().
  virtual Sweep sweep(const AttentionProblem&, const SweepRequest&, std::stop_token stop,
                      SweepProgress* progress) = 0;
  /// Query-key pairs of all heads that sweep() walks over in a moment, some hundredths of a second: a long
  /// sequence of no more need not be looked at from coarse to fine. 0: none. From any thread.
  virtual std::int64_t pairs_in_a_moment() const { return 0; }
  /// Exact cells of a rectangle of one head. `known`: a sweep of the same problem, or null.
  virtual Tensor tile(const AttentionProblem&, const TileRequest&, const Sweep* known,
                      std::stop_token stop) = 0;
  /// The same of weights, in cells of several.
  virtual PooledTile pooled_tile(const AttentionProblem&, const TileRequest&, const PooledCells&,
                                 const Sweep* known, std::stop_token stop) = 0;
};

/// Works everywhere. threads = 0 takes what the machine has. Results do not depend on the number of threads.
std::unique_ptr<Backend> make_cpu_backend(SharedPool pool = {});

}  // namespace attnscope
