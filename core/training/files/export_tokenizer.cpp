#include "core/training/files/export_tokenizer.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace attnscope::training {
namespace {

using nlohmann::json;

bool is_special(const std::string& token) {
  return token.size() > 2 && token.front() == '<' && token.back() == '>';
}

/// English of the lexicon, in any case.
bool reads_english(const std::string& task) { return task == "millbrook" || task.ends_with("reader"); }

json every_character() {
  return {
      {"type", "Split"}, {"pattern", {{"Regex", R"([\s\S])"}}}, {"behavior", "Isolated"}, {"invert", false}};
}

/// What a word becomes that is no token.
std::string unknown_of(const std::vector<std::string>& tokens) {
  return std::ranges::find(tokens, "<unk>") != tokens.end() ? "<unk>" : tokens.front();
}

json pre_tokenizer_of(const std::string& task, const std::vector<std::string>& tokens) {
  if (reads_english(task)) return {{"type", "Whitespace"}};
  const bool characters = std::ranges::all_of(tokens, [](const std::string& token) {
    return is_special(token) || std::ranges::count_if(token, [](char c) { return (c & 0xc0) != 0x80; }) == 1;
  });
  if (!characters) return {{"type", "WhitespaceSplit"}};
  const bool has_blanks = std::ranges::find(tokens, " ") != tokens.end();
  if (has_blanks) return every_character();
  return {{"type", "Sequence"}, {"pretokenizers", {json{{"type", "WhitespaceSplit"}}, every_character()}}};
}

json begins_with(const std::string& name, std::ptrdiff_t id) {
  const json special{{"SpecialToken", {{"id", name}, {"type_id", 0}}}},
      text{{"Sequence", {{"id", "A"}, {"type_id", 0}}}}, pair{{"Sequence", {{"id", "B"}, {"type_id", 0}}}};
  json specials = json::object();
  specials[name] = {{"id", name}, {"ids", {id}}, {"tokens", {name}}};
  return {{"type", "TemplateProcessing"},
          {"single", json::array({special, text})},
          {"pair", json::array({special, text, pair})},
          {"special_tokens", specials}};
}

}  // namespace

std::string tokenizer_config_json(const std::vector<std::string>& tokens) {
  json config{{"tokenizer_class", "PreTrainedTokenizerFast"}, {"unk_token", unknown_of(tokens)}};
  for (const auto& [key, token] :
       {std::pair("bos_token", "<bos>"), std::pair("pad_token", "<pad>"), std::pair("mask_token", "<mask>")})
    if (std::ranges::find(tokens, token) != tokens.end()) config[key] = token;
  return config.dump(1) + "\n";
}

std::string tokenizer_json(const std::string& task, const std::vector<std::string>& tokens) {
  json vocabulary = json::object(), added = json::array();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    vocabulary[tokens[i]] = i;
    if (is_special(tokens[i]))
      added.push_back({{"id", i},
                       {"content", tokens[i]},
                       {"single_word", false},
                       {"lstrip", false},
                       {"rstrip", false},
                       {"normalized", false},
                       {"special", true}});
  }
  const auto begin = std::ranges::find(tokens, "<bos>");
  const json none = nullptr;
  const json file{
      {"version", "1.0"},
      {"truncation", none},
      {"padding", none},
      {"added_tokens", added},
      {"normalizer", reads_english(task) ? json{{"type", "Lowercase"}} : none},
      {"pre_tokenizer", pre_tokenizer_of(task, tokens)},
      {"post_processor", begin == tokens.end() ? none : begins_with(*begin, begin - tokens.begin())},
      {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", false}}},
      {"model",
       {{"type", "WordPiece"},
        {"unk_token", unknown_of(tokens)},
        {"continuing_subword_prefix", "##"},
        {"max_input_chars_per_word", 100},
        {"vocab", vocabulary}}},
  };
  return file.dump(1) + "\n";
}

}  // namespace attnscope::training
