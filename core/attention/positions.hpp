// core/attention: the positions of a Document, by the schemes of core/transformer/positions: vectors added to
// X, rotations of queries and keys, and biases added to the scores.
#pragma once

#include <cstdint>

#include "core/document/document.hpp"
#include "core/transformer/positions/disentangled.hpp"
#include "core/transformer/positions/rotation.hpp"
#include "core/transformer/positions/schemes.hpp"

namespace attnscope {

/// Position: X = embedded + positions, [batch][tokens][d_model]. Vectors without a `table`
/// [positions][d_model] fill all d_model dimensions of Gaussian embeddings and the second half of HandBuilt
/// ones, whatever the width. Kinds that are not added to tokens: X = embedded.
template <class T>
TensorOf<T> add_positions(const Document&, const TensorOf<T>& embedded, const TensorOf<T>* table = nullptr);

/// The rotary settings of a Document for queries and keys of width d_k, and the text length that
/// RopeScaling::Dynamic uses: the last position of queries and keys, plus 1.
RopeSettings rope_of(const Document&, std::int64_t d_k);
std::int64_t rope_length(const Document&, const Dimensions&);

/// The rotations of a Document's queries, from query_offset() on, and of its keys, from 0 on.
template <class T>
Rotation<T> query_rotation(const Document&, const Dimensions&);
template <class T>
Rotation<T> key_rotation(const Document&, const Dimensions&);

/// What the bias of a Document's positions is made of; `table` is that of bias_table(). The Document and the
/// table must outlive it.
template <class T>
BiasSource<T> bias_source(const Document&, std::int64_t heads, const TensorOf<T>* table);

/// The values of a bias by distance, [1 or batch][heads][queries + token keys - 1]; index j - i + queries - 1
/// belongs to query i and key j.
template <class T>
TensorOf<T> distance_values(const Document&, const Dimensions&, const TensorOf<T>* table);
/// Bias: these values spread over every query and key, [1 or batch][heads][queries][keys]; 0 for keys that
/// belong to no token.
template <class T>
TensorOf<T> spread_distances(const TensorOf<T>& values, std::int64_t queries, std::int64_t keys);

/// Bias by query and key, [1 or batch][heads][queries][keys]; 0 for keys that belong to no token.
template <class T>
TensorOf<T> cell_values(const Document&, const Dimensions&, const TensorOf<T>* table);

/// Backward of these biases, see PositionBias. d_bias [batch][heads][queries][keys]; the result is
/// [rows][heads].
template <class T>
TensorOf<T> position_bias_backward(const Document&, const Dimensions&, const TensorOf<T>& d_bias);

/// The vectors of a Document's disentangled positions [1][2k][d_model], from `table` or the seed.
template <class T>
TensorOf<T> relative_vectors(const Document& document, const TensorOf<T>* table) {
  const LayerSpec& layer = document.layer();
  return relative_vectors(layer.position_settings.span, layer.d_model, table, layer.weights.seed);
}

}  // namespace attnscope
