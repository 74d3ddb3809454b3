// core/tokenizers/chat: a chat as the text that a model was trained on: what transformers'
// apply_chat_template() makes of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tokenizers/chat/jinja.hpp"

namespace attnscope::tokenizers {

struct ChatMessage {
  std::string role, content;
  // Further fields, "reasoning_content", …, which a template sees behind those two and in this order.
  std::vector<std::pair<std::string, std::string>> others = {};
};

/// [{"role": "user", "content": "Hello"}, …], or an object whose "messages" is such a list and that has
/// nothing else. All fields are texts. Throws Error naming `where` and the field, with what was found and
/// expected.
std::vector<ChatMessage> read_chat(std::string_view json, const std::string& where);

struct ChatTemplate {
  std::string name;    // "default", where it is the only one or its file says so
  std::string source;  // in Jinja
  std::string where;   // the file and the key that it comes from

  /// Whether it may ask for the day.
  bool may_ask_date() const { return source.find("strftime_now") != source.npos; }
};

/// What a model's files say of chats.
struct ChatFormat {
  std::vector<ChatTemplate> templates = {};  // empty: the model takes no chat
  std::vector<std::pair<std::string, std::string>> special_tokens =
      {};  // "bos_token": "<s>", …; those there are

  /// "default" where `name` is empty, or the only one. Throws Error with a sentence where there is none,
  /// naming those there are.
  const ChatTemplate& of(std::string_view name) const;
};

struct ChatRequest {
  std::vector<ChatMessage> messages;
  bool add_generation_prompt = true;  // what the model's answer begins with
  Day today = {};                     // what a template is told that asks
};

struct RenderedChat {
  std::string text;        // with special tokens in it: to be encoded with those found and none added
  bool asks_date = false;  // the template asked for the day
  /// Messages whose content the template does not put into the text as it stands.
  std::vector<std::size_t> changed = {};
};

/// Throws Error with a sentence that names the template's file and the reason: no message, a template that
/// cannot be read, that raises, that does not know a role, or whose text would differ from that of
/// transformers here.
RenderedChat render_chat(const ChatFormat&, const ChatTemplate&, const ChatRequest&);

/// "2026-11-27"; nothing where it is no day from 1900 on.
std::optional<Day> day_from(std::string_view text);
std::string to_string(const Day&);
/// By the clock and the time zone of this machine.
Day day_of_clock();

}  // namespace attnscope::tokenizers
