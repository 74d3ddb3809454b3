// core/files/import: a Document from a safetensors file with the inputs of ONNX's Attention operator, and the
// same values in the scalar type of the computation.
#pragma once

#include "core/attention/sources.hpp"
#include "core/document/document.hpp"
#include "core/files/formats/safetensors.hpp"

namespace attnscope {

/// How 3-D tensors [batch][n][heads * d] are cut into heads; ignored for 4-D ones. 0 = not given.
struct HeadLayout {
  int heads = 0;
  int kv_heads = 0;  // 0 = heads
};

/// Q, K, V: 4-D [batch][heads][n][d], or all three 3-D [batch][n][heads * d]; optional past_key and
/// past_value, 4-D; optional nonpad_kv_seqlen, integers [batch]: the number of real keys, of which the
/// queries are the last; optional attn_mask (boolean with true = attend, or numbers to add) of rank 1 to 4,
/// aligned from the right: missing dimensions and those of size 1 are broadcast, except the last one: keys
/// beyond its end are hidden. Tokens are the numbers 0, 1, 2, … The result has passed check(). Throws Error
/// naming file, tensor, what was found and what was expected.
Document document_from_tensors(const SafetensorsFile&, const HeadLayout& layout = {},
                               Reading* reading = nullptr);

/// The same values in float64, as the file holds them.
Sources<double> exact_sources(const SafetensorsFile&, const Document& document,
                              const HeadLayout& layout = {});

}  // namespace attnscope
