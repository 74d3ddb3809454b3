// gpu: the operators of a model's blocks on a card: rows, weights, queries, keys and values stay there from
// block to block.
#pragma once

#include <memory>

#include "core/blocks/row_operators.hpp"
#include "gpu/card_settings.hpp"
#include "gpu/device.hpp"

namespace attnscope::gpu {

/// Numbers are those of the CPU within what float32 rounds: weights of bfloat16 and half are multiplied with
/// rows split into three parts of their kind, which loses nothing of them. What the card has no kernel or no
/// room for the CPU computes. Null, and the reason as a sentence in `why_not`, where the card has no
/// products.
std::shared_ptr<RowOperators> make_card_rows(std::shared_ptr<Device> device, std::string& why_not,
                                             CardSettings settings = {});

}  // namespace attnscope::gpu
