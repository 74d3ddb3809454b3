// core/models/opened: what a pass of a model costs, counted from its shapes: multiply-adds of rows, and
// numbers that a key/value cache holds.
#pragma once

#include <cstdint>

#include "core/models/model.hpp"

namespace attnscope {

/// Rows [first, last) of a stack, those before them known. Of cross-attention the encoder's rows are known.
struct CountedRows {
  std::int64_t first = 0, last = 0;
  std::int64_t encoder_rows = 0;  // that cross-attention looks at
};
/// Multiply-adds of these rows: products with weights of all blocks, q·k and α·v of the keys that each row
/// sees. Norms, softmax and logits are not counted.
double multiply_adds(const StackSpec&, const StackWeights&, const CountedRows&);

/// Keys that row i of a block sees, with everything before it known.
std::int64_t keys_of_row(const StackSpec&, const AttentionSpec&, std::int64_t row, std::int64_t rows);

/// Numbers that a key/value cache holds of one position in all blocks: key and value of each head that has
/// its own. Of cross-attention: of one position of the encoder.
std::int64_t cached_numbers(const StackSpec&);
std::int64_t cached_cross_numbers(const StackSpec&);

}  // namespace attnscope
