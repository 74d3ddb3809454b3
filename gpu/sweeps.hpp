// gpu: sweeps and tiles of AttentionProblems on a card, as defined in core/streaming/sweep.hpp and tile.hpp.
#pragma once

#include <stop_token>
#include <string>

#include "core/streaming/tile.hpp"
#include "gpu/card_copies.hpp"
#include "gpu/card_settings.hpp"

namespace attnscope::gpu {

/// Used from one thread.
class CardSweeps {
 public:
  CardSweeps(Device& device, CardCopies& copies, CardSettings settings = {})
      : device_(device), copies_(copies), settings_(settings) {}

  /// One sentence if the card cannot compute the problem, whatever is requested; else empty.
  std::string why_not(const AttentionProblem&) const;
  /// The arithmetic of the problem's products.
  Arithmetic arithmetic_of(const AttentionProblem&) const;
  /// Whether pass 1 of the problem consists of products of warpgroups.
  bool groups_of(const AttentionProblem&) const;

  /// As attnscope::sweep(); why_not() must be empty. Throws Error or Cancelled.
  Sweep sweep(const AttentionProblem&, const SweepRequest&, std::stop_token stop, SweepProgress* progress);
  /// As attnscope::tile(), always in float32; a row's log-sum-exp is computed again, so that rows add up to 1
  /// even where the sweep's products were of bfloat16.
  Tensor tile(const AttentionProblem&, const TileRequest&, std::stop_token stop);
  /// As attnscope::pooled_tile(), of the same numbers.
  PooledTile pooled_tile(const AttentionProblem&, const TileRequest&, const PooledCells&,
                         std::stop_token stop);

 private:
  Device& device_;
  CardCopies& copies_;
  CardSettings settings_;
};

}  // namespace attnscope::gpu
