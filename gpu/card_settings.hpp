// gpu: thresholds at which a card changes its arithmetic and its portions of work.
#pragma once

#include <cstdint>

namespace attnscope::gpu {

/// The settings of a card backend; the tests use smaller numbers.
struct CardSettings {
  /// From this many keys or queries on, products are bfloat16 if the card can: scores are then off by 2^-8 of
  /// their largest products, and everything else stays float32. 0 = always, -1 = never.
  std::int64_t bfloat_from = 4097;
  /// The number of query-key pairs after which progress is reported and the host notices a stop.
  std::int64_t pairs_at_once = std::int64_t{1} << 33;
  /// Backend::pairs_in_a_moment(); -1 = computed from the last sweep's speed.
  std::int64_t moment_pairs = -1;
  /// The number of cells that are computed at a time for pooling.
  std::int64_t cells_at_once = std::int64_t{1} << 24;
  /// Stages' products of at least this many multiplications (long sequences) use matrix units if the card has
  /// them, with each number split into two of bfloat16: each factor is off by 2^-18, and with an infinite
  /// operand (or one above 3.38e38) results are NaN.
  std::int64_t split_from = std::int64_t{1} << 33;
  /// Products of rows in the host's memory are computed on the card from this many weights on, or from 16
  /// times this many weights times rows; the CPU has finished smaller ones before a card has begun.
  std::int64_t product_from = std::int64_t{1} << 22;
  /// False: entropies of sweeps are arbitrary numbers, to measure their cost.
  bool entropy = true;
  /// Pass 1 by products of warpgroups if the card and the problem allow it. Off until a measuring run on a
  /// card has found it right (tests/gpu/cuda).
  bool groups = false;
};

}  // namespace attnscope::gpu
