// app/shell: where a model is opened: a head and a cell that have something to say, by the weights alone.
#pragma once

#include <cstdint>
#include <optional>

#include "app/state/selection.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

struct HeadCell {
  std::int64_t head = 0;
  Cell cell;
};

/// Of all heads of a layer the one whose `query` gives the most weight to a single key that is neither the
/// first one, a sink in most heads, nor the query itself nor the one before it, which say little; of equals
/// the first. With keys of another text only the first is left out. Nothing where no such key has a weight.
/// `weights`: [1, heads, queries, keys].
inline std::optional<HeadCell> head_worth_a_look(const Tensor& weights, std::int64_t heads,
                                                 std::int64_t query, bool is_own_text) {
  std::optional<HeadCell> found;
  float most = 0;
  for (std::int64_t h = 0; h < heads; ++h) {
    const auto row = weights.matrix(0, h).row(query);
    for (std::int64_t key = 1; key < row.size(); ++key) {
      if (is_own_text && (key == query || key == query - 1)) continue;
      if (!(row(key) > most)) continue;
      most = row(key);
      found = HeadCell{h, {query, key}};
    }
  }
  return found;
}

}  // namespace attnscope
