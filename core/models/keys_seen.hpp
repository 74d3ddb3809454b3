// core/models: which keys the queries of a run see, and how evenly its heads spread their weight over them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

/// Of a run, by the stack and the kind of attention; Cross has the rows of the decoder.
const std::vector<AttentionRun>& attention_of(const ModelRun&, AttentionOf);
std::int64_t rows_of(const ModelRun&, AttentionOf);

/// Which keys the queries of a block see, without what the input's mask hides.
struct KeysSeen {
  std::int64_t left = -1, right = -1;  // query - left <= key <= query + right; -1 = open
  std::int64_t keys = 0;
  std::int64_t first(std::int64_t query) const {
    return left < 0 ? 0 : std::max<std::int64_t>(0, query - left);
  }
  std::int64_t last(std::int64_t query) const {
    return right < 0 ? keys : std::min(keys, query + right + 1);
  }  // one behind
};
/// With the changes that the run was made with.
KeysSeen keys_seen(const ModelSpec&, const ModelRun&, AttentionOf, int block);

/// Of each head of a block: the mean of H / ln(allowed keys) over the rows that see two keys or more. Nothing
/// where no row does, and where the run's entropies were not asked for.
std::vector<std::optional<double>> normalised_entropies(const Model&, const ModelRun&, AttentionOf,
                                                        int block);

}  // namespace attnscope
