// tests: random Documents over all settings, small enough that thousands of them run in a second.
#pragma once

#include "core/document/document.hpp"
#include "core/random_settings.hpp"
#include "core/samples.hpp"

namespace attnscope::samples {

/// Sequences with or without a second text, a cache, padding, grouped heads, a separate d_v, learned and zero
/// keys, one product or three. All settings but the storage precision and the loss.
Document any_text_document(Random& random);
/// The same from vectors, with separate sources for keys and values, and other widths.
Document any_vectors_document(Random& random);
/// The same from Q, K and V, with a past, lengths or neither.
Document any_given_document(Random& random);
/// One of the three.
Document any_document(Random& random);

/// A loss with or without a given target.
void randomise_loss(Random& random, Document& document);
/// One of the three with a loss and without NaN in the output: a naive softmax over hidden keys alone is 0 /
/// 0.
Document any_differentiable_document(Random& random);

}  // namespace attnscope::samples
