// core/tokenizers: a tokenizer for models without one: token ids are typed as numbers.
#pragma once

#include <memory>

#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {
class ModelFiles;
}

namespace attnscope::tokenizers {

/// Whether a model's folder has any tokenizer file, or a GGUF file (of several parts, the first) the metadata
/// of a tokenizer.
bool has_tokenizer(ModelFiles&);

/// Reads "3 17, 42" as the tokens 3, 17 and 42; other text has no token. `vocabulary`: the model's number of
/// tokens.
std::shared_ptr<const Tokenizer> number_tokenizer(Id vocabulary);

}  // namespace attnscope::tokenizers
