// core/transformer/positions: the frequencies of rotary positions, plain and with each kind of scaling to
// contexts longer than those of training. Used by layers and models.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/transformer/positions/settings.hpp"

namespace attnscope {

/// The kind for the "rope_type" of config files; nullopt for other names.
std::optional<RopeScaling> rope_scaling_from(std::string_view name);

/// Whether the angles of a token depend on the length of the text.
inline bool depends_on_length(RopeScaling scaling) {
  return scaling == RopeScaling::Dynamic || scaling == RopeScaling::LongRope;
}

/// Which numbers make a pair, Positions::RopeHalf or RopeInterleaved say.
struct RopeSettings {
  double base = 10'000;
  std::int64_t rotated = 0;  // rotated dimensions of a head; even
  RopeScaling scaling = RopeScaling::None;
  double factor = 1;                   // of the context, for all kinds but None
  std::int64_t trained_positions = 0;  // Dynamic, Yarn, Llama3: length of the contexts before scaling
  double low_frequency = 1, high_frequency = 4;  // Llama3: "low_freq_factor", "high_freq_factor"
  double fast = 32, slow = 1;                    // Yarn: turns within trained_positions
  bool truncate = true;                          // Yarn: round the bounds to whole dimensions
  std::optional<double> magnitude;  // Yarn: factor of cosine and sine; nullopt = 0.1·ln(factor) + 1
  /// Final divisors of the frequencies, as in GGUF files: [rotated / 2], or empty.
  std::vector<float> divisors = {};
  double query_growth = 0;  // see PositionSettings
  std::int64_t query_growth_length = 1;
  std::vector<float> short_divisors = {};  // LongRope: of texts of at most trained_positions
  bool operator==(const RopeSettings&) const = default;
};

/// Checks of settings that hang together. Throws Error.
void check_rope(const PositionSettings&);
/// Of `width` dimensions of a head that can be rotated: how many are; even.
std::int64_t rotated_dims(const PositionSettings&, std::int64_t width);
/// The settings of a layer for a head of which `width` dimensions can be rotated.
RopeSettings rope_of(const PositionSettings&, std::int64_t width);

/// The factor of a query at the position, at least 0: 1 without growth.
double query_factor(const RopeSettings&, std::int64_t position);

/// The frequencies in radians per position, and the factor of cosine and sine.
template <class T>
struct RopeFrequenciesOf {
  std::vector<T> frequency;  // [rotated / 2]
  T magnitude = 1;
};
using RopeFrequencies = RopeFrequenciesOf<float>;

/// The frequencies of the papers. `positions`: the length of the text; see depends_on_length().
RopeFrequenciesOf<double> exact_rope_frequencies(const RopeSettings&, std::int64_t positions);
/// The frequencies of transformers (modeling_rope_utils.py), rounded to float: the rounding is part of the
/// model.
RopeFrequencies rope_frequencies(const RopeSettings&, std::int64_t positions);

}  // namespace attnscope
