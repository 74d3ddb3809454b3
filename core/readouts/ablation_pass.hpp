// core/readouts: many ablated versions of one run at once. Each starts at the block of its first head, from
// the kept residual stream, and all current versions pass through a block together as rows of one matrix.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

/// A head of self-attention in the stack that makes the output.
struct HeadPlace {
  int block = 0, head = 0;
  bool operator==(const HeadPlace&) const = default;
};
using HeadSet = std::vector<HeadPlace>;  // not empty

/// The output that replaces an ablated head's: zeros, or its mean over the rows of the text.
enum class AblationKind : std::uint8_t { Zero, Mean };

/// The progress of a pass, readable from any thread.
struct AblationProgress {
  std::atomic<std::int64_t> done{0}, total{0};  // blocks, summed over ablated versions
};

/// Replaces ablation by activation patching: takes the same heads' outputs from another run with as many rows
/// and without changes.
struct HeadPatch {
  const ModelRun& from;
  std::span<const std::int64_t> rows;  // for each set: the row to patch; -1 = all
};

struct AblationPass {
  const Model& model;
  const ModelRun& base;  // without changes and without a mask
  AblationKind kind = AblationKind::Zero;
  bool all_rows = false;  // give() gets all rows of the last block's output
  std::int64_t row = 0;   // else only this one
  const HeadPatch* patch = nullptr;
};

/// Calls give(index in sets, stream) with the last block's output of each version, [rows][d_model], in any
/// order. The sets may be in any order. Throws Cancelled.
void pass_ablations(const AblationPass&, std::span<const HeadSet> sets,
                    const std::function<void(std::size_t, const Tensor&)>& give, AblationProgress*,
                    const Work&);

}  // namespace attnscope
