// core/edits: the user's changes of single heads: interventions on their patterns, and weights that give a
// head a known pattern. Each takes a Document and returns a consistent one; for a head that does not exist it
// returns the Document unchanged.
#pragma once

#include <cstdint>

#include "core/document/document.hpp"
#include "core/weights/hand_built.hpp"

namespace attnscope::edit {

/// Replaces a head's pattern; None restores its own. Any kind but Frozen, which needs freeze().
Document intervention(Document, std::int64_t head, Intervention::Kind kind);
/// Mutes a head, or un-mutes a muted one.
Document mute(Document, std::int64_t head);
/// Mutes all heads but this one, whose own intervention is kept unless it was Mute; if the head is already
/// soloed, un-mutes all.
Document solo(Document, std::int64_t head);
/// Replaces the head's pattern by a fixed one, [batch][queries][keys], which later changes of the Document do
/// not affect. Throws Error when it holds numbers that are not weights.
Document freeze(Document, std::int64_t head, TensorPtr pattern);
/// Removes all interventions.
Document restore_heads(Document);

/// Whether all heads but this one are muted.
bool is_soloed(const Document&, std::int64_t head);

/// One more key and value of zeros that every query sees. Frozen patterns no longer fit and are dropped.
Document add_zero_attn(Document, bool on);
/// sinks(): a learned logit for each head that joins the softmax and has no value, initially 0. sink(): sets
/// one head's logit; returns the Document unchanged if it is not finite, or if there are no sinks or no such
/// head.
Document sinks(Document, bool on);
Document sink(Document, std::int64_t head, float logit);

/// Writes W_Q and W_K of one head so that it has a known pattern, and names it accordingly; its biases become
/// 0, other heads keep their weights. Presets read hand-built embeddings; see HeadPreset for the requirements
/// of each. Throws Error, one sentence, if the Document does not meet them.
Document head_preset(Document, std::int64_t head, HeadPreset preset);

/// Fits the interventions to a change of tokens, keys or heads: those of removed heads are removed, new heads
/// have none, and frozen patterns whose shape is not that of the weights are dropped.
void fit_interventions(Document&);

}  // namespace attnscope::edit
