// core/document: the limits of a layer's sizes, for check(), for the recipes that make weights, and for
// edits/remedies.hpp.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "core/document/document.hpp"

namespace attnscope {

/// The largest d_model that recipes make matrices for: four of them at this width take 256 MiB.
inline constexpr int max_made_width = 4096;
/// The smallest d_model that hand-built embeddings and weights can be made for.
inline constexpr int min_hand_built_width = 16;
/// The largest dimension of orthogonal matrices: the decomposition takes rows · columns² operations.
inline constexpr std::int64_t max_orthogonal_size = 1024;

/// Whether all heads can have the same width: d_model / heads is a whole number, or d_k is set. `heads` >= 1.
bool can_split(const Document&, int heads);
/// The divisor of `d_model` nearest to `heads`; the larger of two.
int fitting_heads(int d_model, int heads);
/// The largest d_model the Document can have: max_made_width if a recipe makes or made its weights, else
/// max_d_model.
int widest_model(const Document&);
/// The largest d_k and d_v the Document can have: no weight matrix has more numbers than a square one of the
/// largest d_model.
int widest_head(const Document&);
/// Whether embedding or weights are built by hand: d_model is then even and at least min_hand_built_width.
bool is_built_by_hand(const Document&);
/// Whether a matrix is or was drawn as Orthogonal: then no width may exceed max_orthogonal_size.
bool wants_orthogonal(const Weights&);

/// The allowed value nearest to `wanted`, the larger of two; nullopt if no value from 1 to `most` is allowed.
template <class Allowed>
std::optional<int> nearest_allowed(int wanted, int most, Allowed allowed) {
  std::optional<int> best;
  const auto apart = [wanted](int value) { return std::abs(std::int64_t{value} - wanted); };
  for (int value = 1; value <= most; ++value)
    if (allowed(value) && (!best || apart(value) <= apart(*best))) best = value;
  return best;
}

}  // namespace attnscope
