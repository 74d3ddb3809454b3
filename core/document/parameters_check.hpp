// core/document: the part of check() for the parameters of a layer: throws Error, one sentence, if one is
// missing or has another shape.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/document/document.hpp"

namespace attnscope {

/// Throws Error if the tensor exists and has another shape.
void check_shape(std::string_view name, const TensorPtr& block, const Shape& expected,
                 std::string_view meaning);

/// Rows of W_K and W_V: the widths of the vectors they are multiplied with.
struct SourceWidths {
  std::int64_t key, value;
};

void check_weights(const Document&, const SourceWidths&);
void check_position_blocks(const Document&, std::int64_t tokens, std::int64_t heads);
/// Checks the parameters that are also read with given Q, K and V, whose sizes come from these.
void check_shared_parameters(const Document&, const Dimensions&);
/// Checks the divisors of the frequencies of `rotated` dimensions.
void check_divisors(const TensorPtr& divisors, std::int64_t rotated);

}  // namespace attnscope
