// core/files/import: the tensors of ONNX's Attention operator in a safetensors file: from what a file may
// hold to what a Document reads, in the scalar type that is computed with.
#pragma once

#include "core/attention/sources.hpp"
#include "core/document/document.hpp"
#include "core/files/formats/safetensors.hpp"

namespace attnscope {

/// How 3-D tensors [batch][n][heads * d] are cut into heads; not looked at for 4-D ones. 0 = not told.
struct HeadLayout {
  int heads = 0;
  int kv_heads = 0;  // 0 = heads
};

/// Q, K, V: 4-D [batch][heads][n][d], or all three 3-D [batch][n][heads * d]; optional past_key and
/// past_value, 4-D; optional nonpad_kv_seqlen, integers [batch]: so many keys are real, the queries are the
/// last of them; optional attn_mask (boolean, true = attend, or a number to add) of rank 1 to 4, aligned from
/// the right: missing dimensions and those of size 1 are repeated, save the last one: keys it is too short
/// for are hidden. Tokens are the numbers 0, 1, 2, … What comes back passed check(). Throws Error naming
/// file, tensor, found and expected.
Document document_from_tensors(const SafetensorsFile&, const HeadLayout& layout = {},
                               Reading* reading = nullptr);

/// The same numbers in float64, as the file holds them.
Sources<double> exact_sources(const SafetensorsFile&, const Document& document,
                              const HeadLayout& layout = {});

}  // namespace attnscope
