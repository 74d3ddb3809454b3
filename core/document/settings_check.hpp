// core/document: the part of check() for single settings, without the sizes of tensors.
#pragma once

#include "core/document/document.hpp"

namespace attnscope {

/// Throws Error with a sentence that names the setting, its value and the allowed values.
void check_settings(const Document&);

/// For a Document from text whose widths are checked: throws Error if edited token vectors do not have the
/// shape of the embedding's, or if an orthogonal matrix would be too large.
void check_edited(const Document&);

/// Throws Error when interventions are not listed for every head or a frozen pattern does not have the shape
/// of the weights.
void check_interventions(const std::vector<Intervention>&, const Dimensions&);

/// Throws Error when there are more than `max_cells` scores, with the length that would fit.
void check_cells(const Dimensions&);
/// Throws Error when the vectors alone (of tokens, queries, keys and values before and after rotation,
/// outputs), or all weights where they are kept, would take more than half of this machine's memory.
void check_memory(const Dimensions&, bool keeps_weights = false);

/// Throws Error when numbers of a pattern to be frozen are not weights: NaN, infinite, or outside 0 to 1 by
/// more than rounding. Called where a pattern is loaded, not by check(), which runs for every stage.
void check_pattern(std::int64_t head, const Tensor& pattern);

}  // namespace attnscope
