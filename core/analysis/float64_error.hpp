// core/analysis: the rounding error of a computation: every stage of shape queries × keys minus the same
// stage computed in float64 by the same functions.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/parallel.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

struct Document;

/// Whether float64_error() covers the stage: Score, Scale, Cap, Mask, Softmax, Linear, Intervention, Drop.
bool has_float64_error(Stage);

/// error[stage] = trace[stage] − the stage in float64, rounded to float: [batch][heads][queries][keys], null
/// where the trace has no such stage; stages that share a tensor share their error. Where both are the same
/// infinity the error is 0. The reference uses the stable softmax, and the LSH buckets of `trace`; everything
/// else is computed again from the Document's numbers. `document` passed check() and `trace` was computed
/// from it. `stages_done` counts up to float64_error_steps. Throws Cancelled.
Trace float64_error(const Work&, const Document& document, const Trace& trace,
                    std::atomic<int>* stages_done = nullptr);
/// The stages that float64_error() visits: all up to the weights.
inline constexpr Stages float64_error_stages = Stages::all() - stages_that(is_after_weights);
inline constexpr int float64_error_steps = float64_error_stages.size();

/// Its peak memory in bytes: the errors, and the double tensors that later stages read.
std::int64_t float64_error_bytes(const Document&);
/// Its approximate number of multiplications.
double float64_error_work(const Document&);

}  // namespace attnscope
