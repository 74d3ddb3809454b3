// app: the words that stand beside numbers.
#include <algorithm>

#include "app/scene.hpp"
#include "core/stages/embed.hpp"

namespace attnscope {

std::string token_label(const Result& result, std::int64_t sequence, std::int64_t index) {
  const auto& sequences = result.document.input.sequences;
  if (sequence < static_cast<std::int64_t>(sequences.size())) {
    const auto& tokens = sequences[static_cast<std::size_t>(sequence)].tokens;
    if (index < static_cast<std::int64_t>(tokens.size())) return tokens[static_cast<std::size_t>(index)];
    if (!result.document.input.given) return std::string(padding_token);
  }
  return std::to_string(index);
}

std::string head_name(const Result& result, std::int64_t head, bool one_word) {
  const auto& names = result.document.weights.head_names;
  if (head >= static_cast<std::int64_t>(names.size())) return "head " + std::to_string(head);
  const std::string& name = names[static_cast<std::size_t>(head)];
  return one_word ? name.substr(0, name.find(' ')) : name;
}

}  // namespace attnscope
