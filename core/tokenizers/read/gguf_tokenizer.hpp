// core/tokenizers/read: the tokenizer that the metadata of a GGUF file describes.
#pragma once

#include <memory>

#include "core/files/formats/gguf.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope::tokenizers {

/// tokenizer.ggml.model "gpt2": byte pair encoding with a pre-tokenizer that tokenizer.ggml.pre names;
/// "llama": SentencePiece's byte pair encoding, by scores, with tokens of single bytes. Control tokens are
/// special and found in the text; what add_bos_token and add_eos_token ask for is put around it. Throws Error
/// naming the file, the key, what was found and what was expected.
std::shared_ptr<const Tokenizer> read_gguf_tokenizer(const GgufFile& file);

}  // namespace attnscope::tokenizers
