// core/tokenizers/chat: a chat as text in the format that the model was trained on, as transformers'
// apply_chat_template() makes it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/day.hpp"
#include "core/tokenizers/chat/jinja.hpp"

namespace attnscope::tokenizers {

struct ChatMessage {
  std::string role, content;
  // Further fields, "reasoning_content", …, which a template sees after role and content in this order.
  std::vector<std::pair<std::string, std::string>> others = {};
};

/// Reads [{"role": "user", "content": "Hello"}, …], or an object whose only key is "messages" with such a
/// list. All fields are strings. Throws Error naming `where` and the field, what was found and what was
/// expected.
std::vector<ChatMessage> read_chat(std::string_view json, const std::string& where);

struct ChatTemplate {
  std::string name;    // "default" if it is the only one or its file says so
  std::string source;  // in Jinja
  std::string where;   // the file and the key that hold it

  /// Whether the template may ask for the date.
  bool may_ask_date() const { return source.find("strftime_now") != source.npos; }
};

/// The chat templates and special tokens in a model's files.
struct ChatFormat {
  std::vector<ChatTemplate> templates = {};  // empty: the model takes no chat
  std::vector<std::pair<std::string, std::string>> special_tokens =
      {};  // "bos_token": "<s>", …; those that exist

  /// The template called `name`; if `name` is empty, "default" or the only one. Throws Error naming the
  /// existing ones if there is none of that name.
  const ChatTemplate& of(std::string_view name) const;
};

struct ChatRequest {
  std::vector<ChatMessage> messages;
  bool add_generation_prompt = true;  // adds the start of the model's answer
  Day today = {};                     // the date that a template gets if it asks
};

struct RenderedChat {
  std::string text;        // contains special tokens: encode it with special tokens found and none added
  bool asks_date = false;  // the template asked for the date
  /// Indices of messages whose content is not in the text unchanged.
  std::vector<std::size_t> changed = {};
};

/// Throws Error naming the template's file and the reason: no messages; a template that cannot be read, that
/// raises an exception or does not know a role; or a template whose text would differ from that of
/// transformers.
RenderedChat render_chat(const ChatFormat&, const ChatTemplate&, const ChatRequest&);

}  // namespace attnscope::tokenizers
