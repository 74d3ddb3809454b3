// core/analysis: the float64 value of a selected cell, for the inspector: the same stage functions, run in
// double for one head of one sequence, from the token vectors (or the given Q, K, V) on.
#pragma once

#include <cstdint>
#include <stop_token>

#include "core/document/document.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

struct CellReference {
  double score = 0, scaled = 0, capped = 0, bias = 0, masked = 0, weight = 0, row_max = 0,
         row_sum = 0;  // row_sum = sum exp((x - max)/τ)
};

/// `document` passed check(); storage precision, dropout, linear attention, intervention and the naive
/// softmax are left out, since the value is the reference for them. `trace` was computed from `document`;
/// only its LSH buckets are read, for the mask. Costs O(keys · d_model · d_k) multiplications. Throws
/// Cancelled after a stop.
CellReference reference_cell(const Document&, const Trace&, std::int64_t b, std::int64_t h,
                             std::int64_t query, std::int64_t key, const std::stop_token& = {});

}  // namespace attnscope
