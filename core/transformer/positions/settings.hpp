// core/transformer/positions: the settings of the schemes.
#pragma once

#include <cstdint>

#include "core/base/tensor.hpp"
#include "core/transformer/positions.hpp"

namespace attnscope {

/// How the frequencies of rotary positions are changed for contexts longer than those of training.
enum class RopeScaling : std::uint8_t {
  None,
  Linear,    // positions are divided by the factor: position interpolation (Chen et al. 2023)
  Dynamic,   // the base grows with the length of the text, "NTK-aware"
  Yarn,      // slow pairs are interpolated, fast ones kept; cosine and sine are scaled up (Peng et al. 2023)
  Llama3,    // by bands of wavelengths (Grattafiori et al. 2024)
  LongRope,  // divided one by one, by other numbers in texts longer than those of training (Ding et al. 2024)
};

/// Settings of the kinds of positions; each kind reads its own.
struct PositionSettings {
  /// > 1. Pair i of the r / 2 rotated pairs has the wavelength 2π·base^(2i/r) tokens, the last one
  /// 2π·base^(1 - 2/r).
  float rope_base = 10000;
  int rope_dims = 0;  // rotated dimensions of d_k, even; 0 = all (all but one when d_k is odd)
  RopeScaling rope_scaling = RopeScaling::None;
  float rope_factor = 8;       // of the context, for all scalings; >= 1
  int rope_trained = 8192;     // context length of the training; not used by Linear
  float rope_low_turns = 1;    // Llama3: pairs with fewer turns in rope_trained tokens are divided
  float rope_high_turns = 4;   // Llama3: pairs with more turns are unchanged; > rope_low_turns
  float rope_slow_turns = 1;   // Yarn: as rope_low_turns, blended by pair index
  float rope_fast_turns = 32;  // Yarn; > rope_slow_turns
  bool rope_truncate = true;   // Yarn: round the bounds to whole dimensions
  float rope_magnitude = 0;    // Yarn, LongRope: factor of cosine and sine; 0: 0.1·ln(factor) + 1, or
                               // √(1 + ln(factor) / ln(rope_trained))
  /// Final divisors of the frequencies, as in GGUF files: [rotated / 2], or null.
  TensorPtr rope_divisors = {};
  /// LongRope: those of texts of at most rope_trained tokens, which rope_divisors are not for then.
  TensorPtr rope_short_divisors = {};
  /// Rotary: a query at position p is multiplied by 1 + growth·ln(1 + ⌊p / length⌋), so that attention stays
  /// as sharp in long texts (Ministral 3). 0 = off; else all dimensions of a head must turn.
  float query_growth = 0;
  int query_growth_length = 8192;
  int buckets = 32;           // of relative distances, even when two-sided; >= 2 for each side
  int bucket_distance = 128;  // from here on all distances share the last bucket, >= least_bucket_distance()
  bool buckets_two_sided = true;  // keys before and after the query have separate buckets
  /// Disentangled: k of He et al. 2021. Distances from k on share a vector on each side; there are 2k
  /// vectors.
  int span = 8;
  bool content_to_position = true;  // Disentangled: queries times position vectors projected as keys
  bool position_to_content = true;  // Disentangled: keys times position vectors projected as queries
  bool operator==(const PositionSettings&) const = default;
};

/// The least bucket distance: half of a side's buckets are for single distances, and one more distance begins
/// the others.
constexpr int least_bucket_distance(int buckets, bool two_sided) { return buckets / (two_sided ? 4 : 2) + 1; }

/// The largest span of relative positions; there are twice as many vectors.
inline constexpr int max_relative_span = 4096;

/// RelativeWindows: the image whose patches are the tokens, row by row. These are settings of the mask's
/// window pattern (Sparsity).
struct ImageWindows {
  std::int64_t grid = 1, side = 1;  // patches in a row; rows and columns of a window
};
/// The largest side of a window with relative positions: 511² numbers for each head.
inline constexpr int max_window_side = 256;
/// The number of offsets between two patches of a window: (2·side - 1) row offsets times as many column
/// offsets.
constexpr std::int64_t window_offsets(std::int64_t side) { return (2 * side - 1) * (2 * side - 1); }

}  // namespace attnscope
