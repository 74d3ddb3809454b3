// core/edits: settings that several keys and controls change in the same way.
#pragma once

#include "core/document/document.hpp"

namespace attnscope::edit {

/// Whether scores are divided by sqrt(d_k).
bool is_divided(const Document&);
/// Divided by sqrt(d_k), or not scaled at all.
Document divided(Document, bool on);

/// The usual masks as one choice: 0 none, 1 causal, 2 padding, 3 both.
inline constexpr int mask_choices = 4;
int mask_choice(const Document&);
/// Sets the choice; other rules of the mask are unchanged.
Document with_mask_choice(Document, int choice);

}  // namespace attnscope::edit
