// core/document: which sizes a layer can have: what check() refuses by, what recipes make weights for and
// what edits/remedies.hpp looks for.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "core/document/document.hpp"

namespace attnscope {

/// Recipes make no blocks for a wider model: four of them at this width take 256 MiB.
inline constexpr int max_made_width = 4096;
/// The smallest d_model that hand-built embeddings and weights can be made for.
inline constexpr int min_hand_built_width = 16;
/// Orthogonal blocks are made up to this size: the decomposition takes rows · columns² operations.
inline constexpr std::int64_t max_orthogonal_size = 1024;

/// Whether every head has as many numbers: d_model / heads is a whole number, or d_k is set. `heads` >= 1.
bool can_split(const Document&, int heads);
/// The number of heads nearest to `heads` that divides `d_model`, the larger of two.
int fitting_heads(int d_model, int heads);
/// The widest d_model the Document can have: where a recipe makes its weights, as wide as those are made.
int widest_model(const Document&);
/// The largest d_k and d_v the Document can have: no matrix of weights holds more numbers than a square one
/// of the widest d_model.
int widest_head(const Document&);
/// Whether embedding or weights are built by hand: d_model is then even and at least min_hand_built_width.
bool is_built_by_hand(const Document&);
/// Whether a block is or was drawn as Orthogonal: then no width is above max_orthogonal_size.
bool wants_orthogonal(const Weights&);

/// The allowed value nearest to `wanted`, the larger of two; nothing when there is none from 1 to `most`.
template <class Allowed>
std::optional<int> nearest_allowed(int wanted, int most, Allowed allowed) {
  std::optional<int> best;
  const auto apart = [wanted](int value) { return std::abs(std::int64_t{value} - wanted); };
  for (int value = 1; value <= most; ++value)
    if (allowed(value) && (!best || apart(value) <= apart(*best))) best = value;
  return best;
}

}  // namespace attnscope
