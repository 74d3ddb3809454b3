// core/readouts: many ablated versions of one run at once. Each begins at the block of its first head, from
// the residual stream that was kept there, and all that are under way pass a block together as rows of one
// matrix.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

/// A head of the stack that gives the output, of its attention to itself.
struct HeadPlace {
  int block = 0, head = 0;
  bool operator==(const HeadPlace&) const = default;
};
using HeadSet = std::vector<HeadPlace>;  // not empty

/// What an ablated head gives instead of its output: zeros, or the mean over the rows of the text.
enum class AblationKind : std::uint8_t { Zero, Mean };

/// How far it is, readable from any thread.
struct AblationProgress {
  std::atomic<std::int64_t> done{0}, total{0};  // blocks that ablated versions pass
};

/// Instead of ablation: what the same heads gave in another run, of as many rows and without changes
/// (activation patching).
struct HeadPatch {
  const ModelRun& from;
  std::span<const std::int64_t> rows;  // of each set: the row that is patched; -1 = all
};

struct AblationPass {
  const Model& model;
  const ModelRun& base;  // without changes and without a mask
  AblationKind kind = AblationKind::Zero;
  bool all_rows = false;  // of what leaves the last block
  std::int64_t row = 0;   // otherwise this one alone
  const HeadPatch* patch = nullptr;
};

/// Calls give(index in sets, stream) with what leaves the last block of each version, [rows][d_model], in any
/// order. The sets may come in any order. Throws Cancelled.
void pass_ablations(const AblationPass&, std::span<const HeadSet> sets,
                    const std::function<void(std::size_t, const Tensor&)>& give, AblationProgress*,
                    const Work&);

}  // namespace attnscope
