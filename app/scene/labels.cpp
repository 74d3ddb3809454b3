// app/scene: the words that stand beside numbers.
#include <algorithm>

#include "app/scene/head_words.hpp"
#include "app/scene/scene.hpp"
#include "app/ui/number_format.hpp"
#include "core/attention/embed.hpp"

namespace attnscope {

namespace {

/// Token `index` of a sequence.
std::string token_label(const LayerResult& result, const std::vector<Sequence>& sequences,
                        std::int64_t sequence, std::int64_t index) {
  const Input& input = result.document.input;
  if (sequence < std::ssize(sequences) && index >= 0) {
    const auto& tokens = sequences[static_cast<std::size_t>(sequence)].tokens;
    if (index < std::ssize(tokens)) return own(tokens[static_cast<std::size_t>(index)].text);
    if (input.is_text()) return std::string(padding_token);
  }
  return grouped(index);
}

}  // namespace

std::int64_t position_of(const LayerResult& result, std::int64_t sequence, std::int64_t query) {
  return query_offset(result.document, result.dimensions, sequence) + query;
}

std::string query_label(const LayerResult& result, std::int64_t sequence, std::int64_t query) {
  return token_label(result, result.document.input.sequences, sequence, position_of(result, sequence, query));
}

std::string key_label(const LayerResult& result, std::int64_t sequence, std::int64_t key) {
  const Document& document = result.document;
  const std::int64_t tokens = result.dimensions.token_keys();
  if (key >= tokens) {  // the learned key comes before the one of zeros
    const bool learned = key == tokens && !(document.layer().add_zero_attn && result.dimensions.extra == 1);
    return learned ? "[learned]" : "[zero]";
  }
  const Input& input = document.input;
  return token_label(result, input.memory.empty() ? input.sequences : input.memory, sequence, key);
}

bool is_cross(const LayerResult& result) {
  const Input& input = result.document.input;
  if (input.is_given()) {
    const bool cache = result.dimensions.past > 0 || !input.given().lengths.empty();
    return !cache && result.dimensions.queries != result.dimensions.token_keys();
  }
  return !input.memory.empty() || static_cast<bool>(input.vectors().key);
}

std::string head_name(const LayerResult& result, std::int64_t head, bool one_word) {
  const std::string name = role_of(result, head).does;
  if (name.empty()) return "head " + std::to_string(head);
  return one_word ? name.substr(0, name.find(' ')) : name;
}

}  // namespace attnscope
