// core/text: tokens that stand for no word.
#pragma once

#include <string_view>

namespace attnscope {

/// Whether a token is written like a marker of models: [CLS], [SEP], [PAD], <s>, </s>, <|endoftext|>: at
/// least three bytes between square or angle brackets, the brackets included, and no space.
bool is_special_token(std::string_view token);

}  // namespace attnscope
