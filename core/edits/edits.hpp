// core/edits: the user's changes of a Document. Each takes a Document and returns a consistent one (tokens
// follow the text, weights follow the recipe). A Document that cannot be computed is still returned: check()
// says what is wrong, and the window keeps its last good picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope::edit {

/// Replaces the text of sequence `index` and its tokens; a padded_length shorter than the text becomes 0.
/// Throws Error when the text is not valid UTF-8. Every change of the tokens or heads keeps the fitting part
/// of a mask made by hand and of head interventions, and drops frozen patterns that no longer have the shape
/// of the weights, a target or gradient of the loss, and token vectors edited by hand (see
/// core/edits/numbers.hpp).
Document text(Document, std::size_t index, std::string text);
/// The whole batch at once; one text per sequence.
Document texts(Document, const std::vector<std::string>& texts);
Document heads(Document, int heads);
Document d_model(Document, int d_model);
/// Heads of keys and values; 0 = as many as of queries.
Document kv_heads(Document, int kv_heads);
/// Width of a head's queries and keys, 0 = d_model / heads; and of its values, 0 = as wide as queries and
/// keys. d_k() does not change a d_v that is set.
Document d_k(Document, int d_k);
Document d_v(Document, int d_v);
/// One learned key and value that every query sees.
Document bias_k(Document, bool on);
/// Sets QK-norm, with weights of 1 if there are none yet; changed weights are kept when it is switched off.
Document qk_norm(Document, QkNorm::Kind);
/// Sets latent attention. Hand-built weights, which read token vectors, are replaced by random ones; rotary
/// positions rotate at most the shared key.
Document latent(Document, const Latent&);
/// The second text, for cross-attention: the same sentence for every sequence of the first. Empty = none.
Document memory(Document, std::string text);
/// Tokens whose keys and values are cached; clamped so that at least one token is computed.
Document cached(Document, int tokens);
/// Hides one cell of the mask by hand, or shows it again, in one head of one sequence. Other cells are
/// unchanged.
Document hidden_cell(Document, std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key,
                     bool hidden);
/// The functions below make the weights of a recipe again, which drops numbers edited by hand; so do heads()
/// and widths that the edited numbers do not fit. Weights from a file are unchanged.
Document seed(Document, std::uint64_t seed);
/// Makes weights and token vectors from the same seed, without numbers edited by hand.
Document again(Document);
/// Another seed below 100,000, a function of the current one; also for matrices that are drawn separately.
Document new_seed(Document);
Document noise(Document, float noise);
Document biases(Document, bool on);
/// Random weights of this Initialiser for all matrices.
Document initialiser(Document, Initialiser);
/// Also sets the embedding: Gaussian with random weights, hand-built with hand-built ones. No matrix is drawn
/// separately afterwards; gains are kept.
Document recipe(Document, Recipe recipe);

/// The same text in a layer small enough to read every number: d_model 8, two heads of d_k 4, random weights
/// of the same seed. Documents with given Q, K, V or vectors are returned unchanged.
Document small_model(Document);

}  // namespace attnscope::edit
