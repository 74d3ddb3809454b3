// core: the ways a person changes a Document. Each takes a Document and returns one that is consistent again
// (tokens follow the text, weight blocks follow the recipe). A change that cannot be computed is still
// returned: check() says in words what is wrong, and the window keeps its last good picture.
#pragma once

#include <string>
#include <vector>

#include "core/document.hpp"

namespace attnscope::edit {

/// Replaces the text of sequence `index` and its tokens; a padded_length it outgrew goes back to 0. Throws
/// Error when the text is not valid UTF-8.
Document text(Document, std::size_t index, std::string text);
/// The whole batch at once; one text per sequence.
Document texts(Document, const std::vector<std::string>& texts);
Document heads(Document, int heads);
Document d_model(Document, int d_model);
Document seed(Document, std::uint64_t seed);
Document noise(Document, float noise);
Document biases(Document, bool on);
/// Random weights go with Gaussian embeddings, hand-built ones with hand-built embeddings; both change
/// together.
Document recipe(Document, Recipe recipe);

}  // namespace attnscope::edit
