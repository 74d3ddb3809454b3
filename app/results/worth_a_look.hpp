// app/results: where a model is opened: a head and a cell that have something to say, by the weights alone.
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

/// Where is looked for it: in one row of the heads of a layer.
struct LookedThrough {
  const Tensor& weights;  // [1, heads, queries, keys]
  std::int64_t heads = 0, query = 0;
  bool is_own_text = true;           // keys are the tokens that the queries are
  std::span<const Token> keys = {};  // where they are known
};

/// Of all heads the one whose row gives the most weight to a single key that is neither the first one, a sink
/// in most heads, nor a special token, the sink of encoders, nor the query itself nor the one before it,
/// which say little; of equals the first. With keys of another text those two count. Nothing where no such
/// key has a weight.
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
