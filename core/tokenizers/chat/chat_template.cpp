#include "core/tokenizers/chat/chat_template.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/chat/jinja_run.hpp"
#include "core/tokenizers/chat/jinja_source.hpp"
#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers {
namespace {

using nlohmann::ordered_json;

std::string described(const ordered_json& value) {
  constexpr std::size_t most_shown = 40;
  return in_quotes(value.dump(-1, ' ', false, ordered_json::error_handler_t::replace), most_shown);
}

ChatMessage read_message(const ordered_json& value, std::size_t number, const std::string& where) {
  const auto fail = [&](const std::string& problem) -> Error {
    return Error(fmt::format("{}: message {} {}", printable(where), number, problem));
  };
  if (!value.is_object())
    throw fail(fmt::format("is {}; an object with role and content was expected.", described(value)));
  ChatMessage message;
  for (const char* key : {"role", "content"})
    if (!value.contains(key)) throw fail(fmt::format("has no {}.", key));
  for (const auto& [key, field] : value.items()) {
    if (field.is_null() && key != "role" && key != "content") continue;  // counts as missing
    if (!field.is_string())
      throw fail(
          fmt::format("has {} as {}; a text was expected: other contents and calls of tools are not "
                      "supported.",
                      key == "role" || key == "content" ? key : in_quotes(key, 40), described(field)));
    auto text = field.get<std::string>();
    if (key == "role")
      message.role = std::move(text);
    else if (key == "content")
      message.content = std::move(text);
    else
      message.others.emplace_back(key, std::move(text));
  }
  return message;
}

/// The message's fields, in the order in which transformers fills the names that reasoning has had: a
/// template that prints whole messages shows it.
ordered_json fields_of(const ChatMessage& message) {
  const std::string* reasoning = nullptr;
  for (const char* key : {"reasoning", "thinking", "reasoning_content"})
    for (const auto& [name, text] : message.others)
      if (name == key) reasoning = &text;
  ordered_json fields = ordered_json::object();
  if (reasoning) fields["thinking"] = *reasoning;
  fields["role"] = message.role;
  fields["content"] = message.content;
  for (const auto& [name, text] : message.others) fields[name] = text;
  if (reasoning) fields["reasoning_content"] = *reasoning;
  return fields;
}

std::string variables_of(const ChatFormat& format, const ChatRequest& request) {
  ordered_json variables = ordered_json::object();
  for (const auto& [name, token] : format.special_tokens) variables[name] = token;
  variables["messages"] = ordered_json::array();
  for (const ChatMessage& message : request.messages) variables["messages"].push_back(fields_of(message));
  variables["add_generation_prompt"] = request.add_generation_prompt;
  variables["tools"] = variables["documents"] = nullptr;
  return variables.dump();
}

bool has(std::string_view text, std::string_view piece) { return text.find(piece) != text.npos; }

/// Renders one chat with one template.
class Rendering {
 public:
  Rendering(const ChatFormat& format, const ChatTemplate& from, const ChatRequest& request)
      : format_(format), from_(from), request_(request) {}

  RenderedChat render() const {
    if (request_.messages.empty()) throw Error("A chat needs one message at least.");
    check_messages();
    const JinjaText made = run_jinja(pieces(), variables_of(format_, request_), request_.today);
    if (made.refused) fail("refuses this chat", made.problem);
    if (!made.problem.empty()) fail("cannot be rendered", made.problem);
    return {.text = made.text, .asks_date = made.asks_date, .changed = changed(made.text)};
  }

 private:
  [[noreturn]] void fail(std::string_view what, const std::string& reason) const {
    const bool ends =
        !reason.empty() && std::string_view(".!?").find(reason.back()) != std::string_view::npos;
    throw Error(fmt::format("{}: the chat template {}: {}{}", printable(from_.where), what, printable(reason),
                            ends ? "" : "."));
  }

  std::vector<JinjaPiece> pieces() const {
    try {
      return jinja_pieces(from_.source);
    } catch (const Error& error) {
      fail("cannot be read", error.what());
    }
  }

  void check_messages() const {
    for (std::size_t i = 0; i < request_.messages.size(); ++i) {
      const ChatMessage& message = request_.messages[i];
      for (const std::string* text : {&message.role, &message.content})
        if (const auto byte = first_invalid_utf8(*text))
          throw Error(fmt::format("Message {} of the chat is not valid UTF-8 at byte {}.", i + 1, *byte));
    }
  }

  static bool stands_in(const std::string& text, const ChatMessage& message) {
    return has(text, python_stripped(message.content));
  }

  /// Whether neither the template nor the text mentions the role, and the text contains no message of it.
  bool is_unknown(const std::string& role, const std::string& text) const {
    return !has(from_.source, role) && !has(text, role) &&
           std::ranges::none_of(request_.messages, [&](const ChatMessage& message) {
             return message.role == role && stands_in(text, message);
           });
  }

  std::vector<std::size_t> changed(const std::string& text) const {
    std::vector<std::size_t> messages;
    for (std::size_t i = 0; i < request_.messages.size(); ++i) {
      const ChatMessage& message = request_.messages[i];
      if (stands_in(text, message)) continue;
      if (is_unknown(message.role, text))
        fail("refuses this chat",
             fmt::format("it does not know the role {} of message {}.", in_quotes(message.role, 40), i + 1));
      messages.push_back(i);
    }
    return messages;
  }

  const ChatFormat& format_;
  const ChatTemplate& from_;
  const ChatRequest& request_;
};

}  // namespace

std::vector<ChatMessage> read_chat(std::string_view text, const std::string& where) {
  parse_strict_json(text, where);  // throws Error saying what is wrong
  const ordered_json value = ordered_json::parse(text);
  const ordered_json* list = &value;
  if (value.is_object() && value.size() == 1 && value.contains("messages")) list = &value["messages"];
  if (!list->is_array() || list->empty())
    throw Error(fmt::format(
        "{}: a list of messages was expected, as [{{\"role\": \"user\", \"content\": \"…\"}}]; found {}.",
        printable(where), described(*list)));
  std::vector<ChatMessage> messages;
  for (const ordered_json& message : *list)
    messages.push_back(read_message(message, messages.size() + 1, where));
  return messages;
}

const ChatTemplate& ChatFormat::of(std::string_view name) const {
  if (templates.empty())
    throw Error(
        "The model has no chat template: neither chat_template.jinja, nor chat_template in "
        "tokenizer_config.json or chat_template.json, nor tokenizer.chat_template in a GGUF file.");
  if (name.empty() && templates.size() == 1) return templates[0];
  const std::string_view wanted = name.empty() ? "default" : name;
  const auto found = std::ranges::find(templates, wanted, &ChatTemplate::name);
  if (found != templates.end()) return *found;
  std::string names;
  for (const ChatTemplate& one : templates) names += (names.empty() ? "" : ", ") + in_quotes(one.name, 40);
  throw Error(
      fmt::format("The model has no chat template called {}; it has {}.", in_quotes(wanted, 40), names));
}

RenderedChat render_chat(const ChatFormat& format, const ChatTemplate& from, const ChatRequest& request) {
  return Rendering(format, from, request).render();
}

}  // namespace attnscope::tokenizers
