// core/attention: from tokens to the matrix X that the projections read. Padding is a token with its own
// vector.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope {

/// The token that fills short sequences, and its label in pictures.
inline constexpr std::string_view padding_token = "[pad]";

/// Embed, and Memory before its positions: token vectors of some sequences, [sequences][tokens][d_model],
/// rounded to float for every T: they are data, and a float64 reference must differ in arithmetic only.
/// Shorter sequences are filled with padding_token. Gaussian: N(0, 1) per number from the stream of the
/// token's bytes. HandBuilt: see core/weights/hand_built.hpp; the second half of the dimensions, that of the
/// positions, is zero. Both kinds are multiplied by embedding_gain. `document` passed check(); edited token
/// vectors are ignored.
template <class T>
TensorOf<T> embed(const Document&, const std::vector<Sequence>& sequences, std::int64_t tokens);
/// The token vectors of the Document's own sequences.
template <class T>
TensorOf<T> embed(const Document& document) {
  return embed<T>(document, document.input.sequences, padded_tokens(document.input));
}

}  // namespace attnscope
