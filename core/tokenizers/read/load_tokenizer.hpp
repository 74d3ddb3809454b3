// core/tokenizers/read: the tokenizer of a model's folder as Hugging Face's libraries write it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/tokenizers/tokenizer.hpp"

namespace attnscope::tokenizers {

/// Of a GGUF file: what its metadata describes. Of a folder: reads tokenizer.json or, when there is none,
/// vocab.json and merges.txt (with the settings of GPT-2, RoBERTa, Qwen2 or GPT-NeoX, by
/// tokenizer_config.json or config.json) vocab.txt (with BERT's) or a model of SentencePiece (spiece.model,
/// sentencepiece.bpe.model, tokenizer.model: see tokenizer_folder.hpp); tokenizer_config.json,
/// special_tokens_map.json and added_tokens.json add and name tokens as AutoTokenizer of transformers 5 reads
/// them. Truncation and padding that a file states are left to the run of the model. Throws Error, one
/// sentence that names the file, the field and what was found.
std::shared_ptr<const Tokenizer> load_tokenizer(const std::filesystem::path& path);

/// The parts that a tokenizer.json describes. `where` names the file in errors.
TokenizerParts read_tokenizer_json(std::string_view text, const std::string& where);

}  // namespace attnscope::tokenizers
