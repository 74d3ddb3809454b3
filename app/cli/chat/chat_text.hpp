// app/cli: a chat given on the command line, as the text that a model was trained on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/tokenizers/chat/chat_template.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {

struct ChatOptions {
  // One of these is the chat.
  std::optional<std::string> file;           // path of a file of messages
  std::optional<std::string> user;           // one message of a user
  std::string template_name = {};            // empty: the default one
  std::optional<tokenizers::Day> date = {};  // what a template is told that asks; otherwise the clock says
  bool generation_prompt = true;

  bool is_given() const { return file || user; }
};

/// With special tokens in it: to be encoded without others. Says on stderr which day the template was told,
/// and which messages it does not put into the text as they stand. Throws Error.
std::string chat_text(const std::filesystem::path& model, const tokenizers::Tokenizer&, const ChatOptions&);

}  // namespace attnscope
