// gpu: when a card computes with what.
#pragma once

#include <cstdint>

namespace attnscope::gpu {

/// What may be chosen; the tests choose smaller numbers.
struct CardSettings {
  /// From so many keys or queries on, products are of bfloat16 where the card can: scores are off by 2^-8 of
  /// their largest products then, and everything else stays float32. 0 = always, -1 = never.
  std::int64_t bfloat_from = 4097;
  /// Progress is told, and a stop seen by the host, after so many query-key pairs.
  std::int64_t pairs_at_once = std::int64_t{1} << 33;
  /// Backend::pairs_in_a_moment(); -1 = as many as the last sweep's speed says.
  std::int64_t moment_pairs = -1;
  /// Cells that are pooled are made so many at a time.
  std::int64_t cells_at_once = std::int64_t{1} << 24;
  /// Stages' products of at least so many multiplications (long sequences) go to matrix units where the card
  /// has them, each number split into two of bfloat16: each factor is off by 2^-18, and where an operand is
  /// infinite (or above 3.38e38) results are NaN.
  std::int64_t split_from = std::int64_t{1} << 33;
  /// Products of rows in the computer's memory by at least so many weights, or by a sixteenth of them for
  /// each row, cross to the card; smaller ones the CPU has done before a card has begun.
  std::int64_t product_from = std::int64_t{1} << 22;
  /// False: entropies of sweeps are anything, to measure what they cost.
  bool entropy = true;
  /// Pass 1 by products of warpgroups where the card and the problem allow it. Off until a measuring run has
  /// seen it right on a card (tests/gpu/cuda).
  bool groups = false;
};

}  // namespace attnscope::gpu
