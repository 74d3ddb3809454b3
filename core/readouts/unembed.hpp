// core/readouts: logits from rows of the residual stream at any place in the model.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/models/run_model.hpp"

namespace attnscope {

/// Throws Error if the model has no logits.
void check_has_logits(const Model&);

/// Logits [rows][vocabulary] of rows [rows][d_model] behind the final norm: logit scale, product, soft-cap.
/// Throws Error as above, or Cancelled.
Tensor unembed_normed(const Model&, const float* rows, std::int64_t count, const Work&);
/// The same for rows of the residual stream: applies the final norm first.
Tensor unembed(const Model&, const float* rows, std::int64_t count, const Work&);

/// Calls fn(row, logits) for rows [first, rows) of the run's output: uses the run's logits if it has all of
/// them, else computes them a few rows at a time. Throws as above.
void each_prediction(const Model&, const ModelRun&, std::int64_t first,
                     const std::function<void(std::int64_t, std::span<const float>)>& fn, const Work&);

}  // namespace attnscope
