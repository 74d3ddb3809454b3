// core/analysis: the sums over the keys of one row that the measures are made of. Everything whose time grows
// with the keys is one of these sums, so they can be computed where the row lies. C++17, since GPU code
// includes this file.
#pragma once

#include <cstdint>

namespace attnscope {

/// Sums of the masked scores x with t = (x - largest_score) / temperature, and of the weights w that mix the
/// values, before dropout. p: the query's position among the keys.
struct SumsOfRow {
  double largest_score;            // NaN when a score is
  double sum, centred;             // Σ e^t, Σ t e^t; t is clamped to at least -106
  double squares, cubes;           // Σ w², Σ w³
  double on_tokens, extra;         // Σ w over keys that belong to tokens, and to none
  double special;                  // over tokens like [CLS]
  double distances;                // Σ w |p - key| over keys that belong to tokens
  double same;                     // over all keys with the query's token, case folded
  double content, function_words;  // over content words, over all other tokens
  double dropped;                  // full attention's weight on keys that a window hides
  float largest;                   // w; NaN when a weight is
  float first;                     // w of key 0
  float near[5];            // w of keys p - 2 … p + 2; 0 where there is no token, and for cross-attention
  std::int32_t strongest;   // the first key with the largest weight; -1 where that is NaN
  std::int32_t not_finite;  // weights that are NaN or infinite
};

}  // namespace attnscope
