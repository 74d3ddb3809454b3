// core/tokenizers/read: the tokenizer from a model's folder in the format of Hugging Face's libraries.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {
class ModelFiles;
}

namespace attnscope::tokenizers {

/// For a GGUF file: the tokenizer in its metadata. For a folder: tokenizer.json; if there is none, vocab.json
/// and merges.txt (with the settings of GPT-2, RoBERTa, Qwen2 or GPT-NeoX, by tokenizer_config.json or
/// config.json), vocab.txt (with BERT's), or a SentencePiece model (spiece.model, sentencepiece.bpe.model,
/// tokenizer.model: see tokenizer_folder.hpp). tokenizer_config.json, special_tokens_map.json and
/// added_tokens.json add and name tokens as AutoTokenizer of transformers 5 reads them. Truncation and
/// padding settings are not applied here: they are left to the run of the model. Throws Error naming the
/// file, the field and what was found.
std::shared_ptr<const Tokenizer> load_tokenizer(ModelFiles& files);
/// The same for a tokenizer without its model.
std::shared_ptr<const Tokenizer> load_tokenizer(const std::filesystem::path& path);

/// The parts of a tokenizer.json. `where` names the file in errors.
TokenizerParts read_tokenizer_json(std::string_view text, const std::string& where);

}  // namespace attnscope::tokenizers
