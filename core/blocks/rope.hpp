// core/blocks: rotary positions as today's models have them: the frequencies of each kind of scaling to
// longer contexts, and the turning of queries and keys where they lie.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/parallel.hpp"

namespace attnscope {

/// How frequencies are changed for contexts longer than those of training.
enum class RopeScaling : std::uint8_t {
  None,
  Linear,   // position interpolation (Chen et al. 2023)
  Dynamic,  // the base grows with the length, "NTK-aware"
  Yarn,     // Peng et al. 2023
  Llama3,   // by bands of wavelengths (Grattafiori et al. 2024)
};
/// By the "rope_type" of config files; nothing for others.
std::optional<RopeScaling> rope_scaling_from(std::string_view name);

struct RopeSettings {
  double base = 10'000;
  std::int64_t rotated = 0;  // dimensions of a head that are turned; even, the others stay
  bool interleaved = false;  // pairs (2i, 2i + 1) instead of (i, i + rotated / 2)
  RopeScaling scaling = RopeScaling::None;
  double factor = 1;                   // of the context, for all kinds but None
  std::int64_t trained_positions = 0;  // Dynamic, Yarn, Llama3: length of the contexts before scaling
  double low_frequency = 1, high_frequency = 4;  // Llama3: "low_freq_factor", "high_freq_factor"
  double fast = 32, slow = 1;                    // Yarn: turns within trained_positions
  bool truncate = true;                          // Yarn: its bounds are whole dimensions
  std::optional<double> magnitude;               // Yarn: of cosine and sine; nothing = 0.1·ln(factor) + 1
  /// What each frequency is divided by in the end, as GGUF files have it: [rotated / 2], or empty.
  std::vector<float> divisors = {};
  bool operator==(const RopeSettings&) const = default;
};

/// The frequencies, in radians for each position, and what cosine and sine are multiplied with. As
/// transformers computes them (modeling_rope_utils.py), rounded to float: the rounding is part of the model.
struct RopeFrequencies {
  std::vector<float> frequency;  // [rotated / 2]
  float magnitude = 1;
};
/// `positions`: the length of the text; only Dynamic depends on it.
RopeFrequencies rope_frequencies(const RopeSettings&, std::int64_t positions);

/// Rows of heads in memory that belongs to somebody else: head h of row i begins at data + i * row_stride + h
/// * head_stride.
struct HeadsInRows {
  float* data = nullptr;
  std::int64_t rows = 0, heads = 0, row_stride = 0, head_stride = 0;
};

/// Turns them in place; row i stands at positions[i]. Angles are float, as in transformers. Throws Cancelled.
void rotate_in_place(const Work&, const RopeSettings&, const RopeFrequencies&,
                     std::span<const std::int64_t> positions, const HeadsInRows&);

}  // namespace attnscope
