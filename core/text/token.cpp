#include "core/text/token.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attnscope {

bool is_written_as_special(std::string_view token) {
  if (token.size() < 3 || token.find(' ') != std::string_view::npos) return false;
  return (token.front() == '[' && token.back() == ']') || (token.front() == '<' && token.back() == '>');
}

std::vector<Token> label_tokens(const std::vector<std::string>& labels) {
  return {labels.begin(), labels.end()};
}

std::vector<std::string> texts_of(const std::vector<Token>& tokens) {
  std::vector<std::string> texts;
  texts.reserve(tokens.size());
  for (const Token& token : tokens) texts.push_back(token.text);
  return texts;
}

std::string joined(const std::vector<Token>& tokens) {
  return fmt::format("{}", fmt::join(texts_of(tokens), " "));
}

}  // namespace attnscope
