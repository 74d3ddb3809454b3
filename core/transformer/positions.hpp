// core/transformer: the positional encodings of layers, models and networks that are trained. Each of the
// three refuses those it does not have; for names see core/document/enum_names.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attnscope {

/// Positional encodings. Sinusoidal and Learned are added to token vectors, RelativeBuckets, Alibi,
/// RelativeWindows and Disentangled to scores; RopeHalf and RopeInterleaved rotate queries and keys.
enum class Positions : std::uint8_t {
  None,
  Sinusoidal,       // Vaswani et al. 2017, section 3.5
  Learned,          // a vector for each position, from Parameter::PositionTable or from the seed
  RelativeBuckets,  // T5: a number for each head and bucket of distances (Raffel et al. 2020, section 2.1)
  Alibi,            // -slope · |distance|, a slope for each head (Press et al. 2022)
  RopeHalf,  // rotates the pairs (i, i + r/2) of the first r dimensions (Su et al. 2021; Llama's layout)
  RopeInterleaved,  // rotates the pairs (2i, 2i + 1) of the first r dimensions (Su et al. 2021; GPT-J's
                    // layout)
  RelativeWindows,  // Swin: a number for each head, rows apart and columns apart in a window of the image of
                    // Sparsity::grid and side (Liu et al. 2021, section 3.2, equation 4)
  Disentangled,     // queries and keys are also multiplied with relative-position vectors (He et al. 2021)
};

/// Whether a layer, counted from 0, has rotary positions where of layers counted from 1 those divisible by
/// `interval` have none (SmolLM3's no_rope_layer_interval); with 0 all have them.
inline bool rotates(std::size_t layer, int interval) {
  return interval == 0 || (layer + 1) % static_cast<std::size_t>(interval) != 0;
}

/// Whether queries and keys are rotated; whether a bias that depends on the distance alone is added to the
/// scores; whether any bias is.
inline bool is_rotary(Positions p) { return p == Positions::RopeHalf || p == Positions::RopeInterleaved; }
inline bool is_distance_bias(Positions p) { return p == Positions::RelativeBuckets || p == Positions::Alibi; }
inline bool is_added_to_scores(Positions p) {
  return is_distance_bias(p) || p == Positions::RelativeWindows || p == Positions::Disentangled;
}

}  // namespace attnscope
