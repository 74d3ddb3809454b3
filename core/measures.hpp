// core: what is read off the attention weights, computed once per Trace on the worker thread. Entropy in
// nats.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/document.hpp"
#include "core/trace.hpp"

namespace attnscope {

/// One row of weights: one query of one head.
struct RowMeasures {
  std::int64_t allowed = 0;     // keys the mask lets the query see
  double entropy = 0;           // H = -sum w ln w, in the centred form ln l - u/l; 0 when no key is allowed
  double normalised = 0;        // H / ln(allowed) in 0..1; NaN ("n/a") when fewer than two keys are allowed
  double log_sum_exp = 0;       // ln sum exp(masked / temperature); -inf when no key is allowed
  double largest = 0;           // largest weight
  std::int64_t strongest = -1;  // its key; -1 when no key is allowed
  bool padding = false;         // the query itself is padding: left out of the head's means
};

/// One head of one sequence of the batch. Means are over the rows that are not padding (and, for
/// `normalised`, have at least two allowed keys; NaN when there is none).
struct HeadMeasures {
  double entropy = 0, entropy_min = 0, entropy_max = 0;
  double normalised = 0, normalised_min = 0, normalised_max = 0;
  double largest = 0;  // largest weight anywhere
  std::int64_t rows_without_key = 0;
  std::int64_t not_finite = 0;   // weights that are NaN or infinite
  std::vector<double> received;  // [keys] column sums over rows that are not padding: attention received
};

struct Measures {
  std::int64_t batch = 0, heads = 0, queries = 0, keys = 0;
  std::vector<RowMeasures> rows;         // [batch][heads][queries]
  std::vector<HeadMeasures> head_means;  // [batch][heads]

  const RowMeasures& row(std::int64_t b, std::int64_t h, std::int64_t query) const {
    return rows[static_cast<std::size_t>((b * heads + h) * queries + query)];
  }
  const HeadMeasures& head(std::int64_t b, std::int64_t h) const {
    return head_means[static_cast<std::size_t>(b * heads + h)];
  }
};

/// `document` passed check() and `trace` was computed from it. Throws Cancelled when `stop` fires.
Measures measure(const Document&, const Trace&, std::stop_token stop = {});

}  // namespace attnscope
