// core/tokenizers/read: what the files of a model say of chats.
#pragma once

#include <filesystem>

#include "core/tokenizers/chat/chat_template.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope::tokenizers {

/// Of a folder: chat_template.jinja with additional_chat_templates/NAME.jinja, or chat_template of
/// tokenizer_config.json (a text, or a list of names and templates), or that of chat_template.json; the
/// special tokens that its files name. Of a GGUF file: tokenizer.chat_template, and
/// tokenizer.chat_template.NAME of those that tokenizer.chat_templates names. No templates where there are
/// none. Throws Error naming the file and the key where they are no texts. `tokenizer` is that of the model.
ChatFormat load_chat_format(const std::filesystem::path& path, const Tokenizer& tokenizer);

}  // namespace attnscope::tokenizers
