// core/transformer/positions: the loop of schemes that are added to tokens.
#pragma once

#include <cstdint>

#include "core/base/tensor.hpp"

namespace attnscope {

/// Adds P(t, dim) to dimensions [first, first + d) of every row of x.
template <class T, class Value>
void add_to_rows(TensorOf<T>& x, std::int64_t first, std::int64_t d, Value&& value) {
  const Shape shape = x.shape();
  for (std::int64_t t = 0; t < shape[1]; ++t)
    for (std::int64_t dim = 0; dim < d; ++dim) {
      const T p = value(t, dim);
      for (std::int64_t b = 0; b < shape[0]; ++b) x.matrix(b)(t, first + dim) += p;
    }
}

}  // namespace attnscope
