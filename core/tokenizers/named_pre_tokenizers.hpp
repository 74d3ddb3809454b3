// core/tokenizers: the pre-tokenizers that GGUF files name instead of describing (tokenizer.ggml.pre).
#pragma once

#include <string_view>

#include "core/tokenizers/pre_tokenizer.hpp"

namespace attnscope::tokenizers {

/// Throws Error when the name is not known: a wrong one gives other tokens and still plausible text.
PreTokenizer named_pre_tokenizer(std::string_view name);

}  // namespace attnscope::tokenizers
