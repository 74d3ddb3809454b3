// core: the ways a person changes a Document. Each takes a Document and returns one that is consistent again
// (tokens follow the text, weight blocks follow the recipe). A change that cannot be computed is still
// returned: check() says in words what is wrong, and the window keeps its last good picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/document.hpp"

namespace attnscope::edit {

/// A change of the tokens or heads keeps what still fits of a mask made by hand and lets go of a target or
/// gradient of the loss. Replaces the text of sequence `index` and its tokens; a padded_length it outgrew
/// goes back to 0. Throws Error when the text is not valid UTF-8.
Document text(Document, std::size_t index, std::string text);
/// The whole batch at once; one text per sequence.
Document texts(Document, const std::vector<std::string>& texts);
Document heads(Document, int heads);
Document d_model(Document, int d_model);
/// Heads of keys and values, 0 = as many as of queries; and the width of a head's values, 0 = d_model /
/// heads.
Document kv_heads(Document, int kv_heads);
Document d_v(Document, int d_v);
/// One learned key and value that every query sees.
Document extra_key(Document, bool on);
/// The second text, for cross-attention: one sentence for each of the first text, the same for all. Empty =
/// none.
Document memory(Document, std::string text);
/// Tokens whose keys and values are already in the cache; at least one token stays to be computed.
Document cached(Document, int tokens);
/// Hides one cell of the mask by hand, or shows it again, in one head of one sequence. Other cells stay as
/// they are.
Document hidden_cell(Document, std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key,
                     bool hidden);
Document seed(Document, std::uint64_t seed);
Document noise(Document, float noise);
Document biases(Document, bool on);
/// Random weights go with Gaussian embeddings, hand-built ones with hand-built embeddings; both change
/// together.
Document recipe(Document, Recipe recipe);

}  // namespace attnscope::edit
