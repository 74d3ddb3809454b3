// core/models: which keys the queries of a run see, and the normalised entropy of its heads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

/// The attention runs of one kind; Cross has the rows of the decoder.
const std::vector<AttentionRun>& attention_of(const ModelRun&, AttentionOf);
std::int64_t rows_of(const ModelRun&, AttentionOf);

/// The keys that the queries of a block see, before the input's mask.
struct KeysSeen {
  std::int64_t left = -1, right = -1;  // query - left <= key <= query + right; -1 = open
  std::int64_t keys = 0;
  std::int64_t first(std::int64_t query) const {
    return left < 0 ? 0 : std::max<std::int64_t>(0, query - left);
  }
  std::int64_t last(std::int64_t query) const {
    return right < 0 ? keys : std::min(keys, query + right + 1);
  }  // one past the last
};
/// With the changes of the run. Of a block with settings of its own: the narrowest band that has every key
/// that one of its heads sees, behind the input's mask.
KeysSeen keys_seen(const ModelSpec&, const ModelRun&, AttentionOf, int block);

/// For each head of a block: the mean of H / ln(allowed keys) over rows that see at least two keys. Nothing
/// if there is no such row, or if the run has no entropies.
std::vector<std::optional<double>> normalised_entropies(const Model&, const ModelRun&, AttentionOf,
                                                        int block);

}  // namespace attnscope
