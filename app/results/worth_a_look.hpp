// app/results: selects the head and cell at which a model is opened: an interesting one, by the weights
// alone.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>

#include "app/state/selection.hpp"
#include "core/base/tensor.hpp"
#include "core/text/token.hpp"

namespace attnscope {

struct HeadCell {
  std::int64_t head = 0;
  Cell cell;
};

/// The weights to search: one row of the heads of a layer.
struct LookedThrough {
  const Tensor& weights;  // [1, heads, queries, keys]
  std::int64_t heads = 0, query = 0;
  bool is_own_text = true;           // the keys are the same tokens as the queries
  std::span<const Token> keys = {};  // if they are known
};

/// The head whose row gives the most weight to a single key. Left out are the first key, a sink in most
/// heads; special tokens, the sinks of encoders; and the query itself and the one before it, which are of
/// little interest, but count if the keys are another text's. Of equals the first. Empty if no other key has
/// a weight.
inline std::optional<HeadCell> head_worth_a_look(const LookedThrough& in) {
  std::optional<HeadCell> found;
  float most = 0;
  for (std::int64_t h = 0; h < in.heads; ++h) {
    const auto row = in.weights.matrix(0, h).row(in.query);
    for (std::int64_t key = 1; key < row.size(); ++key) {
      if (in.is_own_text && (key == in.query || key == in.query - 1)) continue;
      if (key < std::ssize(in.keys) && in.keys[static_cast<std::size_t>(key)].special) continue;
      if (!(row(key) > most)) continue;
      most = row(key);
      found = HeadCell{h, {in.query, key}};
    }
  }
  return found;
}

}  // namespace attnscope
