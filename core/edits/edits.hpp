// core/edits: the ways a person changes a Document. Each takes a Document and returns one that is consistent
// again (tokens follow the text, weight blocks follow the recipe). A change that cannot be computed is still
// returned: check() says in words what is wrong, and the window keeps its last good picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope::edit {

/// A change of the tokens or heads keeps what still fits of a mask made by hand and of head intervention, and
/// lets go of patterns that no longer have the shape of the weights, of a target or gradient of the loss, and
/// of token vectors edited by hand (see core/edits/numbers.hpp). Replaces the text of sequence `index` and
/// its tokens; a padded_length it outgrew goes back to 0. Throws Error when the text is not valid UTF-8.
Document text(Document, std::size_t index, std::string text);
/// The whole batch at once; one text per sequence.
Document texts(Document, const std::vector<std::string>& texts);
Document heads(Document, int heads);
Document d_model(Document, int d_model);
/// Heads of keys and values, 0 = as many as of queries; and the width of a head's values, 0 = d_model /
/// heads.
Document kv_heads(Document, int kv_heads);
/// 0: d_model / heads again. Keeps a d_v of its own.
Document d_k(Document, int d_k);
Document d_v(Document, int d_v);
/// One learned key and value that every query sees.
Document bias_k(Document, bool on);
/// Queries and keys normed, with weights of 1 where there are none yet; weights that were changed stay when
/// it is switched off.
Document qk_norm(Document, QkNorm::Kind);
/// Keys and values made of a latent, or not. Hand-built weights, which read token vectors, give way to random
/// ones; rotary positions turn no more than the shared key.
Document latent(Document, const Latent&);
/// The second text, for cross-attention: one sentence for each of the first text, the same for all. Empty =
/// none.
Document memory(Document, std::string text);
/// Tokens whose keys and values are already in the cache; at least one token stays to be computed.
Document cached(Document, int tokens);
/// Hides one cell of the mask by hand, or shows it again, in one head of one sequence. Other cells stay as
/// they are.
Document hidden_cell(Document, std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key,
                     bool hidden);
/// What follows makes weights anew that a recipe made, and so lets go of numbers edited by hand; so do heads
/// and widths that those do not fit. Weights that came as numbers stay as they are.
Document seed(Document, std::uint64_t seed);
/// The same seed again: as the recipe and the embedding have it, without numbers edited by hand.
Document again(Document);
/// Another seed below 100,000, the same after the same one; also for blocks that are drawn by themselves.
Document new_seed(Document);
Document noise(Document, float noise);
Document biases(Document, bool on);
/// Random weights of that Initialiser, for all blocks.
Document initialiser(Document, Initialiser);
/// Random weights go with Gaussian embeddings, hand-built ones with hand-built embeddings; both change
/// together. No block is drawn by itself any more; gains stay.
Document recipe(Document, Recipe recipe);

/// The same text in a layer whose every number can be read: d_model 8, two heads of d_k 4, random weights of
/// the same seed. Q, K, V or vectors that came as numbers stay as they are.
Document small_model(Document);

}  // namespace attnscope::edit
