// core/models: the pooler, and the head that makes logits.
#pragma once

#include <cstdint>
#include <span>

#include "core/models/run_model.hpp"

namespace attnscope {

/// run.pooled = tanh(W·x + b) of the encoder's first row, if the model has a pooler.
void run_pooler(const Model&, ModelRun& run, const Work&);

/// Computes run.logits by spec.head. With a row for each token, rows [first, …) are added behind the existing
/// ones, or only the last token's is made if no more is wanted; else there is one row.
void run_head(const Model&, ModelRun& run, std::int64_t first, LogitRows wanted, const Work&);

/// The row that the head reads, if it reads only one.
std::int64_t head_row(const HeadSpec&, std::span<const std::int64_t> ids);

/// The logits [count][width] of `count` rows taken from the head's input. The model must have logits.
Tensor head_logits(const Model&, const float* rows, std::int64_t count, const Work&);

/// The logits of rows of the residual stream behind the last block: applies the final norm first, and the
/// pooler if the head reads its output.
Tensor stream_logits(const Model&, const float* rows, std::int64_t count, const Work&);

}  // namespace attnscope
