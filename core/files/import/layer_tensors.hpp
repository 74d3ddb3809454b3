// core/files/import: a whole attention layer in a safetensors file, with the names and conventions of
// PyTorch's nn.MultiheadAttention (batch_first).
#pragma once

#include "core/attention/backward/gradients.hpp"
#include "core/attention/sources.hpp"
#include "core/document/document.hpp"
#include "core/files/formats/safetensors.hpp"

namespace attnscope {

/// Facts that the tensors do not tell.
struct LayerSettings {
  int heads = 1;
  bool causal = false;
  bool add_zero_attn = false;  // one more key and value of zeros
};

/// A layer from the tensors
///   query [batch][n][d_model]; for cross-attention key [batch][m][kdim] and value [batch][m][vdim] (without
///     value it is key);
///   W_q [heads · d_k][d_model], W_k [kv heads · d_k][kdim], W_v [kv heads · d_v][vdim] and
///     W_o [d_model][heads · d_v]: y = x·Wᵀ + b; d_k follows from the rows of W_q, how many kv heads there
///     are from those of W_k; instead of the first three in_proj_weight [3 d_model][d_model];
///   b_q, b_k, b_v, b_o, or in_proj_bias [3 d_model], all optional;
///   bias_k and bias_v [1][1][kv heads · d_k or d_v], optional: a learned key and value;
///   key_padding_mask [batch][m] and attn_mask [n][m], [batch · heads][n][m] or [batch][heads][n][m],
///     optional: boolean with true = forbidden, or numbers to add;
///   grad_out [batch][n][d_model], optional: the gradient of the output.
/// The result has passed check(). Throws Error naming file, tensor, what was found and what was expected.
Document document_from_layer(const SafetensorsFile&, const LayerSettings&);

/// The same values in T, as the file holds them; `document` is the result of document_from_layer() for the
/// file.
template <class T>
Sources<T> layer_sources(const SafetensorsFile&, const Document& document);

/// A tensor and its name in a file.
template <class T>
struct NamedValues {
  std::string name;
  TensorPtrOf<T> tensor;
};

/// The gradients under the names d_query, d_key, d_value, dW_q, db_q, …, dbias_k, dbias_v (din_proj_weight
/// and din_proj_bias if the file has fused ones), each in the shape of its tensor.
template <class T>
std::vector<NamedValues<T>> named_gradients(const SafetensorsFile&, const GradientsOf<T>&);

}  // namespace attnscope
