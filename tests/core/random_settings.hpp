// tests: random settings of a Document: positions, mask, interventions on heads.
#pragma once

#include <cstdint>

#include "core/document/document.hpp"
#include "core/samples.hpp"

namespace attnscope::samples {

inline int small(Random& random, std::int64_t least, std::int64_t most) {
  return static_cast<int>(random.between(least, most));
}
/// True once in so many times.
inline bool rarely(Random& random, std::int64_t times) { return random.between(1, times) == 1; }

/// How positions reach the scores, with tables for the kinds that learn them.
void randomise_positions(Random& random, Document& document);
/// Scale, soft-cap, mask, softmax, linear attention, intervention, dropout.
void randomise_settings(Random& random, Document& document);
/// The mask alone, and one of its parts: numbers of which some hide, sometimes a whole row.
void randomise_mask(Random& random, Document& document);
/// Interventions on heads, sometimes none.
void randomise_interventions(Random& random, Document& document);
TensorPtr random_additive(Random& random, const Dimensions& size);

}  // namespace attnscope::samples
