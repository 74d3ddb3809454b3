// core: numbers of a layer that do not fit together, and the nearest ones that do. check() says what is wrong
// in words; this says which control it is about and what to do.
#pragma once

#include <vector>

#include "core/document.hpp"

namespace attnscope {

/// A whole number of the Document that a person types.
enum class LayerNumber { Heads, Width, KeyHeads, KeyWidth, ValueWidth, PaddedLength };

/// As it stands in the Document: 0 for "as many as heads", "d_model / heads", "d_k" and "no more than
/// needed".
int value_of(const Document&, LayerNumber);

/// The numbers that take part in what cannot be computed; empty when the sizes fit. Looks at sizes alone: a
/// refusal for another reason has none.
std::vector<LayerNumber> unfitting_numbers(const Document&);

struct Cure {
  LayerNumber what;
  int value;
  bool operator==(const Cure&) const = default;
};
/// Changes of one number each after which the sizes fit, each to the nearest value (the larger of two).
std::vector<Cure> cures(const Document&);
Document cured(Document, const Cure&);

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

}  // namespace attnscope
