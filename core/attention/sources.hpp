// core/attention: the numbers a Document brings along, in the scalar type that is computed with. For float
// they are the Document's own blocks; for double they are the blocks widened, or what a float64 file really
// holds.
#pragma once

#include <optional>

#include "core/document/document.hpp"

namespace attnscope {

/// Null where the Document has none. Shapes: see Given, Vectors, Weights, Masking and Loss.
template <class T>
struct Sources {
  TensorPtrOf<T> query, key, value, past_key, past_value;    // Given
  TensorPtrOf<T> query_vectors, key_vectors, value_vectors;  // Vectors
  Parameters<T> parameters;                                  // Weights
  TensorPtrOf<T> additive;                                   // Masking
  TensorPtrOf<T> loss;                                       // Loss
  TensorPtrOf<T> edited, edited_memory;                      // Input
  // Where the Document's own float would round them: the multiplier of the scores and the soft-cap.
  std::optional<double> scale, soft_cap;

  TensorPtrOf<T>& operator[](Parameter which) { return parameters[which]; }
  const TensorPtrOf<T>& operator[](Parameter which) const { return parameters[which]; }
};

/// Those of the Document, shared for float, widened for double.
template <class T>
Sources<T> sources_of(const Document&);

}  // namespace attnscope
