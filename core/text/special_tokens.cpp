#include "core/text/special_tokens.hpp"

namespace attnscope {

bool is_special_token(std::string_view token) {
  if (token.size() < 3 || token.find(' ') != std::string_view::npos) return false;
  return (token.front() == '[' && token.back() == ']') || (token.front() == '<' && token.back() == '>');
}

}  // namespace attnscope
