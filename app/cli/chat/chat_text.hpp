// app/cli: a chat from the command line, as the text format that a model was trained on.
#pragma once

#include <optional>
#include <string>

#include "core/text/day.hpp"

namespace attnscope {

class ModelFiles;
namespace tokenizers {
class Tokenizer;
}

struct ChatOptions {
  // Exactly one of these is set.
  std::optional<std::string> file;  // path of a file of messages
  std::optional<std::string> user;  // one message of a user
  std::string template_name = {};   // empty: the default one
  std::optional<Day> date = {};     // the date for templates that ask for it; empty: today
  bool generation_prompt = true;

  bool is_given() const { return file || user; }
};

/// The text contains its special tokens: encode it without adding others. Prints on stderr the date that the
/// template was given, and which messages the template does not put into the text unchanged. Throws Error.
std::string chat_text(ModelFiles& model, const tokenizers::Tokenizer&, const ChatOptions&);

}  // namespace attnscope
