// core/analysis: what measures sum over the keys of one row. All of them that takes longer with more keys is
// here, so that it may be summed wherever the row lies. C++17, since graphics cards include it.
#pragma once

#include <cstdint>

namespace attnscope {

/// Of the masked scores x with t = (x - largest_score) / temperature, and of the weights w that mix the
/// values before dropout. p: the query's position among the keys.
struct SumsOfRow {
  double largest_score;            // NaN when one is
  double sum, centred;             // Σ e^t, Σ t e^t; t below -106 counts as that
  double squares, cubes;           // Σ w², Σ w³
  double on_tokens, extra;         // Σ w over keys that belong to tokens, and to none
  double special;                  // over tokens like [CLS]
  double distances;                // Σ w |p - key| over keys that belong to tokens
  double same;                     // over the query's own token, wherever it stands, case folded
  double content, function_words;  // over content words, over all other tokens
  double dropped;                  // what full attention had put on keys that a window hides
  float largest;                   // w; NaN when one is
  float first;                     // of key 0
  float near[5];                   // of keys p - 2 … p + 2; 0 where no token is, and for cross-attention
  std::int32_t strongest;          // the first key that has the largest; -1 where that is NaN
  std::int32_t not_finite;         // weights that are NaN or infinite
};

}  // namespace attnscope
