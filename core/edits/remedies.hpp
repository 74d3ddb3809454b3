// core/edits: numbers of a layer that do not fit together, and the nearest ones that do. check() says what is
// wrong in words; this says which control it is about and what to do.
#pragma once

#include <string>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope {

/// A whole number of the Document that a person types.
enum class LayerNumber { Heads, Width, KeyHeads, KeyWidth, ValueWidth, PaddedLength };

/// As it stands in the Document: 0 for "as many as heads", "d_model / heads", "d_k" and "no more than
/// needed".
int value_of(const Document&, LayerNumber);

/// The numbers that take part in what cannot be computed; empty when the sizes fit. Looks at sizes alone: a
/// refusal for another reason has none.
std::vector<LayerNumber> unfitting_numbers(const Document&);

/// The sentence with which the number would be refused if a person chose it; empty where the sizes would fit.
/// Makes no weights: cheap enough for every keystroke.
std::string why_unfit(const Document&, LayerNumber, int value);

struct Remedy {
  LayerNumber what;
  int value;
  bool operator==(const Remedy&) const = default;
};
/// Changes of one number each after which the sizes fit, each to the nearest value (the larger of two).
std::vector<Remedy> remedies(const Document&);
Document remedied(Document, const Remedy&);

}  // namespace attnscope
