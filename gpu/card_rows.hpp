// gpu: the operators of a model's blocks on a card: rows, weights, queries, keys and values stay there from
// block to block.
#pragma once

#include <memory>

#include "core/blocks/row_operators.hpp"
#include "gpu/card_settings.hpp"
#include "gpu/device.hpp"

namespace attnscope::gpu {

/// Numbers are those of the CPU within float32 rounding: weights of bfloat16 and half are multiplied with
/// rows that are split into three parts of the same type, without loss. The CPU computes what the card has no
/// kernel or no room for. Null, and the reason as a sentence in `why_not`, if the card has no matrix
/// products.
std::shared_ptr<RowOperators> make_card_rows(std::shared_ptr<Device> device, std::string& why_not,
                                             CardSettings settings = {});

}  // namespace attnscope::gpu
