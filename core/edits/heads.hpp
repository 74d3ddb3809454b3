// core/edits: the ways a person changes single heads: intervention on their patterns, and weights that make a
// head do one thing. Each takes a Document and returns one that is consistent; a head that is not there
// changes nothing.
#pragma once

#include <cstdint>

#include "core/document/document.hpp"
#include "core/weights/hand_built.hpp"

namespace attnscope::edit {

/// Replaces a head's pattern; None gives it its own back. Any kind but Frozen, which needs freeze().
Document intervention(Document, std::int64_t head, Intervention::Kind kind);
/// Mutes a head, or un-mutes a muted one.
Document mute(Document, std::int64_t head);
/// Mutes all heads but this one, whose own intervention stays unless it was muted; on the head that is soloed
/// already it un-mutes all.
Document solo(Document, std::int64_t head);
/// Keeps a pattern [batch][queries][keys] in place of the head's own, whatever changes before it. Throws
/// Error when it holds numbers that are no weights.
Document freeze(Document, std::int64_t head, TensorPtr pattern);
/// All heads have their own patterns again.
Document restore_heads(Document);

/// Whether all heads but this one are muted.
bool is_soloed(const Document&, std::int64_t head);

/// One more key and value of zeros that every query sees. Frozen patterns do not know that key: they go.
Document add_zero_attn(Document, bool on);
/// A learned logit for each head that joins the softmax and takes no value, 0 at first. One head's logit,
/// finite; the Document as it is where there are no sinks or no such head.
Document sinks(Document, bool on);
Document sink(Document, std::int64_t head, float logit);

/// Writes W_Q and W_K of one head by hand so that it does one thing, and gives it that name; its biases
/// become 0, other heads keep their weights. They read hand-built embeddings; see HeadPreset for what each
/// needs. Throws Error, one sentence, when the Document has not got that.
Document head_preset(Document, std::int64_t head, HeadPreset preset);

/// Fits intervention to a change of tokens, keys or heads: heads that are gone go, new ones have their own
/// pattern, and a frozen pattern of another shape than the weights is let go.
void fit_interventions(Document&);

}  // namespace attnscope::edit
