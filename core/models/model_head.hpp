// core/models: what stands on a model's last hidden state: the pooler and the head that makes logits.
#pragma once

#include <cstdint>
#include <span>

#include "core/models/run_model.hpp"

namespace attnscope {

/// run.pooled = tanh(W·x + b) of the encoder's first row, where the model has a pooler.
void run_pooler(const Model&, ModelRun& run, const Work&);

/// run.logits as spec.head says: rows [first, …) of those that have one for each token behind those that
/// there are, or the one row there is; of the last token alone where no more is wanted.
void run_head(const Model&, ModelRun& run, std::int64_t first, LogitRows wanted, const Work&);

/// The row that a head looks at which does not look at every one.
std::int64_t head_row(const HeadSpec&, std::span<const std::int64_t> ids);

/// The logits of `count` rows that stand where the head looks, [count][width]. The model must have them.
Tensor head_logits(const Model&, const float* rows, std::int64_t count, const Work&);

/// The same of rows of the residual stream behind the last block: the final norm comes first, and the pooler
/// where the head looks at what it makes.
Tensor stream_logits(const Model&, const float* rows, std::int64_t count, const Work&);

}  // namespace attnscope
