// core/tokenizers: for a model without a tokenizer: its tokens are their own numbers, typed as a text.
#pragma once

#include <filesystem>
#include <memory>

#include "core/tokenizers/tokenizer.hpp"

namespace attnscope::tokenizers {

/// Whether a model's folder has any of the files that a tokenizer is read from, or a GGUF file the metadata.
bool has_tokenizer(const std::filesystem::path&);

/// Reads "3 17, 42" as the tokens 3, 17 and 42; anything else has no token. `vocabulary`: of the model.
std::shared_ptr<const Tokenizer> number_tokenizer(Id vocabulary);

}  // namespace attnscope::tokenizers
