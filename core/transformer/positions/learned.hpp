// core/transformer/positions: a learned vector for each position.
#pragma once

#include "core/transformer/positions/schemes.hpp"

namespace attnscope {

/// P(t) is row t of the table; without one P(t) is d numbers from N(0, 0.5²) that depend on the seed and t
/// alone, in the dimensions from `first` on. Constants here: gradients end before them.
template <class T>
void add_learned(TensorOf<T>& x, const VectorSource<T>& of);

}  // namespace attnscope
