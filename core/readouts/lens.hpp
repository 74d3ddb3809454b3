// core/readouts: the logit lens (nostalgebraist 2020): the prediction if the model ended at an earlier place.
// Raw: the final norm and the unembedding are applied without a trained translator, so early places may mean
// little while the stream has another basis.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

/// A place in the stack that makes the output.
struct LensPlace {
  int block = -1;                 // -1: the embeddings, as they enter the first block
  bool behind_attention = false;  // between attention (of both kinds) and MLP; else behind the block
  bool operator==(const LensPlace&) const = default;
};
/// The places from the embeddings to the last block's output. There is a place between attention and MLP,
/// except in parallel blocks.
std::vector<LensPlace> lens_places(const ModelSpec&);

/// Rows [begin, end) of the residual stream at a place, [rows][d_model]. Throws Cancelled.
Tensor stream_at(const Model&, const ModelRun&, const LensPlace&, std::int64_t begin, std::int64_t end,
                 const Work&);

/// Logits of these rows: the model's final norm, logit scale, unembedding and soft-cap, [rows][vocabulary].
/// Behind the last block they equal the model's own. Throws Error if the model has no logits, or Cancelled.
Tensor lens_logits(const Model&, const ModelRun&, const LensPlace&, std::int64_t begin, std::int64_t end,
                   const Work&);

}  // namespace attnscope
