// core/edits: sizes of a layer that do not fit together, and the nearest ones that do. check() says what is
// wrong in words; this file finds the controls concerned and possible corrections.
#pragma once

#include <string>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope {

/// A whole number of the Document that the user types.
enum class LayerNumber { Heads, Width, KeyHeads, KeyWidth, ValueWidth, PaddedLength };

/// The value in the Document: 0 for "as many as heads", "d_model / heads", "d_k" and "as long as the longest
/// text".
int value_of(const Document&, LayerNumber);

/// The numbers that make the Document impossible to compute; empty if the sizes fit. Only sizes are
/// considered: errors of check() for other reasons give none.
std::vector<LayerNumber> unfitting_numbers(const Document&);

/// The sentence that says why the value would be rejected; empty if the sizes would fit. Makes no weights, so
/// it is fast enough for every keystroke.
std::string why_unfit(const Document&, LayerNumber, int value);

struct Remedy {
  LayerNumber what;
  int value;
  bool operator==(const Remedy&) const = default;
};
/// Changes of one number each that make the sizes fit, each to the nearest value (the larger of two).
std::vector<Remedy> remedies(const Document&);
Document remedied(Document, const Remedy&);

}  // namespace attnscope
