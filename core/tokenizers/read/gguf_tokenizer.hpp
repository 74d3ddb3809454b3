// core/tokenizers/read: the tokenizer from the metadata of a GGUF file.
#pragma once

#include <memory>

#include "core/files/formats/gguf.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope::tokenizers {

/// tokenizer.ggml.model "gpt2": byte pair encoding with the pre-tokenizer named in tokenizer.ggml.pre;
/// "llama": SentencePiece's byte pair encoding by scores, with byte tokens; "bert": WordPiece. Control tokens
/// are special and are found in the text; tokens are put around it as add_bos_token and add_eos_token say.
/// Throws Error naming the file, the key, what was found and what was expected.
std::shared_ptr<const Tokenizer> read_gguf_tokenizer(const GgufFile& file);

}  // namespace attnscope::tokenizers
