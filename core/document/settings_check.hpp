// core/document: the part of check() that looks at single settings, apart from the sizes of tensors.
#pragma once

#include "core/document/document.hpp"

namespace attnscope {

/// Throws Error with a sentence that names the setting, its value and what it may be.
void check_settings(const Document&);

/// For a Document from text whose widths are checked: token vectors edited by hand have the shape of the
/// embedding's, and nothing is orthogonal that is too large to be made so.
void check_edited(const Document&);

/// Throws Error when intervention is not listed for every head or a frozen pattern has not the shape of the
/// weights.
void check_interventions(const std::vector<Intervention>&, const Dimensions&);

/// Throws Error when there are more than `max_cells` scores, with the length that would fit.
void check_cells(const Dimensions&);
/// Throws Error when the vectors alone (of tokens, queries, keys and values before and after rotation,
/// outputs), or all weights where they are kept, would take more than half of this machine's memory.
void check_memory(const Dimensions&, bool keeps_weights = false);

/// Throws Error when numbers of a pattern that is to be frozen in place of a head's are no weights: NaN,
/// infinite, or outside 0 to 1 by more than rounding. Looked at where a pattern comes in, not by check(),
/// which runs for every stage.
void check_pattern(std::int64_t head, const Tensor& pattern);

}  // namespace attnscope
