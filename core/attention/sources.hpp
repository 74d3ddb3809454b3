// core/attention: the numbers of a Document in the scalar type of the computation. For float they are the
// Document's own tensors; for double they are these tensors widened, or the numbers of a float64 file.
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
  // The multiplier of the scores and the soft-cap, if the Document's float would round them.
  std::optional<double> scale, soft_cap;

  TensorPtrOf<T>& operator[](Parameter which) { return parameters[which]; }
  const TensorPtrOf<T>& operator[](Parameter which) const { return parameters[which]; }
};

/// The Document's numbers: shared for float, widened for double.
template <class T>
Sources<T> sources_of(const Document&);

}  // namespace attnscope
