// core/readouts: the logit lens (nostalgebraist 2020): what would be predicted if the model ended early. Raw:
// the final norm and the unembedding are applied as they are, without a translator that was trained for it,
// so early places may say little where the stream still has another basis.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

/// A place in the stack that gives the output.
struct LensPlace {
  int block = -1;                 // -1: the embeddings, as they enter the first block
  bool behind_attention = false;  // between attention (of both kinds) and MLP, not behind the block
  bool operator==(const LensPlace&) const = default;
};
/// From the embeddings to what leaves the last block. Between attention and MLP there is a place unless the
/// two stand side by side (parallel blocks).
std::vector<LensPlace> lens_places(const ModelSpec&);

/// Rows [begin, end) of the residual stream at a place, [rows][d_model]. Throws Cancelled.
Tensor stream_at(const Model&, const ModelRun&, const LensPlace&, std::int64_t begin, std::int64_t end,
                 const Work&);

/// Logits of these rows: final norm, logit scale, unembedding and soft-cap of the model, [rows][vocabulary].
/// Those behind the last block are the model's own. Throws Error where the model has no logits, or Cancelled.
Tensor lens_logits(const Model&, const ModelRun&, const LensPlace&, std::int64_t begin, std::int64_t end,
                   const Work&);

}  // namespace attnscope
