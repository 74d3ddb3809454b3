// core/stages: from tokens to the matrix X that the projections read. Padding is a token of its own.
#pragma once

#include <string_view>

#include "core/document.hpp"

namespace attnscope {

/// The token that fills short sequences, and its label in pictures.
inline constexpr std::string_view padding_token = "[pad]";

/// ω_i = 10000^(-2i/d): radians per token of the i-th sine and cosine among d position dimensions (Vaswani et
/// al. 2017, section 3.5).
double position_frequency(int i, int d);

/// Embed: token vectors, [batch][tokens][d_model], rounded to float for every T: they are data, and a float64
/// reference must differ in arithmetic only. Gaussian: N(0, 1) per number from the stream of the token's
/// bytes. HandBuilt: see core/weights/hand_built.hpp; the second half of the dimensions, the position's, is
/// zero. `document` passed check().
template <class T>
TensorOf<T> embed(const Document&);

/// Position: X = embedded + positions, same shape. Sinusoidal: P(t, 2i) = sin(ω_i t), P(t, 2i+1) = cos(ω_i
/// t), with d = d_model for Gaussian embeddings; for HandBuilt ones d = d_model - d_model/2 and P fills the
/// second half, whatever the width. None: X = embedded.
template <class T>
TensorOf<T> add_positions(const Document&, const TensorOf<T>& embedded);

}  // namespace attnscope
