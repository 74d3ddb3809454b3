// core/document: the part of check() that is about tensors that come with a layer: weights, tables of
// positions and what else is learned; what is missing or of another shape is refused in one sentence.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/document/document.hpp"

namespace attnscope {

/// Refuses a tensor that is there and of another shape.
void check_shape(std::string_view name, const TensorPtr& block, const Shape& expected,
                 std::string_view meaning);

/// Rows of W_K and W_V: the widths of the vectors they are multiplied with.
struct SourceWidths {
  std::int64_t key, value;
};

void check_weights(const Document&, const SourceWidths&);
void check_position_blocks(const Document&, std::int64_t tokens, std::int64_t heads);
/// What given Q, K and V read as well, so that sizes come from them.
void check_shared_parameters(const Document&, const Dimensions&);
/// Of the frequencies of `rotated` dimensions.
void check_divisors(const TensorPtr& divisors, std::int64_t rotated);

}  // namespace attnscope
