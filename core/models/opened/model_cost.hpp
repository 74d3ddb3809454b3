// core/models/opened: the cost of a model's pass, counted from its shapes: multiply-adds of rows, and numbers
// in the key/value cache.
#pragma once

#include <cstdint>

#include "core/models/model.hpp"

namespace attnscope {

/// Rows [first, last) of a stack whose earlier rows are cached. For cross-attention the encoder's rows are
/// cached.
struct CountedRows {
  std::int64_t first = 0, last = 0;
  std::int64_t encoder_rows = 0;  // keys of cross-attention
};
/// Multiply-adds of these rows: products with the weights of all blocks, and q·k and α·v for the keys that
/// each row sees. Norms, softmax and logits are not counted.
double multiply_adds(const StackSpec&, const StackWeights&, const CountedRows&);

/// The number of keys that row i of a block sees, with all rows before it cached.
std::int64_t keys_of_row(const StackSpec&, const LayerSpec&, std::int64_t row, std::int64_t rows);

/// Numbers in a key/value cache for one position in all blocks: key and value of each key/value head. For
/// cross-attention: for one position of the encoder.
std::int64_t cached_numbers(const StackSpec&);
std::int64_t cached_cross_numbers(const StackSpec&);

}  // namespace attnscope
