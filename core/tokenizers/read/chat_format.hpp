// core/tokenizers/read: chat templates from the files of a model.
#pragma once

#include "core/tokenizers/chat/chat_template.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {
class ModelFiles;
}

namespace attnscope::tokenizers {

/// For a folder: chat_template.jinja with additional_chat_templates/NAME.jinja; else chat_template of
/// tokenizer_config.json (a string, or a list of names and templates); else that of chat_template.json; and
/// the special tokens that its files name. For a GGUF file: tokenizer.chat_template, and
/// tokenizer.chat_template.NAME for the names in tokenizer.chat_templates. No templates if there are none.
/// Throws Error naming the file and the key if they are not strings. `tokenizer`: the model's.
ChatFormat load_chat_format(ModelFiles& files, const Tokenizer& tokenizer);

}  // namespace attnscope::tokenizers
