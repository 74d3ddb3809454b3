// Renders chat templates for tests/fuzz/chat_templates.py: a line {"t": template, "c": [chat, …], "s":
// {special tokens}} becomes a line [{"text": …} or {"error": …}, …], for each chat without and with a prompt
// for the answer.
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/tokenizers/chat/chat_template.hpp"

int main() {
  using namespace attnscope;
  using nlohmann::json;
  for (std::string line; std::getline(std::cin, line);) {
    const json given = json::parse(line);
    tokenizers::ChatFormat format;
    format.templates.push_back({"default", given["t"], "template"});
    for (const auto& [name, token] : given["s"].items()) format.special_tokens.emplace_back(name, token);
    json answers = json::array();
    for (const json& chat : given["c"])
      for (const bool prompt : {false, true}) {
        json answer;
        try {
          const tokenizers::ChatRequest request{.messages = tokenizers::read_chat(chat.dump(), "chat"),
                                                .add_generation_prompt = prompt,
                                                .today = {2024, 2, 29}};
          answer["text"] = tokenizers::render_chat(format, format.templates[0], request).text;
        } catch (const Error& error) {
          answer["error"] = error.what();
        }
        answers.push_back(std::move(answer));
      }
    std::cout << answers.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
  }
}
