// core/analysis: the strongest weights of a head, as many as make up a given share of each row. The lines
// view draws them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/see_row.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

struct KeptWeight {
  std::int32_t query = 0, key = 0;
  float weight = 0;
  bool operator==(const KeptWeight&) const = default;
};

struct KeptWeights {
  std::vector<KeptWeight> kept;  // by query, then by key
  std::int64_t allowed = 0;      // cells of these rows that the mask allows
};

/// Keep this share (0..1) of the weight of each of the rows [first, last).
struct KeptRequest {
  float mass = 0.7f;
  std::int64_t first = 0, last = 0;
  bool operator==(const KeptRequest&) const = default;
};

/// Keeps the strongest weights of each requested row of weights [queries][keys] until their sum reaches the
/// share of the sum over the keys that the row sees. Of equal weights the earlier key is kept first. Hidden,
/// zero, negative and non-finite weights are never kept.
KeptWeights keep_strongest(const ConstMatrixMap<float>& weights, const SeeRow& see,
                           const KeptRequest& request);

}  // namespace attnscope
