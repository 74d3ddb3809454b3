// app/scene: the labels of tokens, rows and columns.
#include <algorithm>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/scene/head_words.hpp"
#include "app/scene/scene.hpp"
#include "core/attention/embed.hpp"

namespace attnscope {

namespace {

/// Null beyond the end, and where there are no tokens.
const Token* token_at(const std::vector<Sequence>& sequences, std::int64_t sequence, std::int64_t index) {
  if (sequence >= std::ssize(sequences) || index < 0) return nullptr;
  const std::vector<Token>& tokens = sequences[static_cast<std::size_t>(sequence)].tokens;
  return index < std::ssize(tokens) ? &tokens[static_cast<std::size_t>(index)] : nullptr;
}

/// Token `index` of a sequence.
std::string token_label(const LayerResult& result, const std::vector<Sequence>& sequences,
                        std::int64_t sequence, std::int64_t index) {
  if (const Token* const token = token_at(sequences, sequence, index)) return own(token->text);
  const bool is_padding = sequence < std::ssize(sequences) && index >= 0 && result.document.input.is_text();
  return is_padding ? inner(padding_token) : grouped(index);
}

/// The digits as subscripts.
std::string digits_below(std::int64_t index) {
  std::string below;
  for (const char digit : std::to_string(index)) {
    below += '\xE2';
    below += '\x82';
    below += static_cast<char>('\x80' + (digit - '0'));
  }
  return below;
}

/// Empty if the token's text is unique in its sequence, and if there is no token.
std::string place_of_repeated(const std::vector<Sequence>& sequences, std::int64_t sequence,
                              std::int64_t index) {
  const Token* const token = token_at(sequences, sequence, index);
  if (token == nullptr) return {};
  const std::vector<Token>& tokens = sequences[static_cast<std::size_t>(sequence)].tokens;
  return std::ranges::count(tokens, token->text, &Token::text) > 1 ? digits_below(index) : std::string();
}

const std::vector<Sequence>& sequences_of_keys(const Input& input) {
  return input.memory.empty() ? input.sequences : input.memory;
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
    return inner(learned ? "[learned]" : "[zero]");
  }
  return token_label(result, sequences_of_keys(document.input), sequence, key);
}

std::string placed_query_label(const LayerResult& result, std::int64_t sequence, std::int64_t query) {
  const std::vector<Sequence>& sequences = result.document.input.sequences;
  const std::int64_t index = position_of(result, sequence, query);
  const std::string place = place_of_repeated(sequences, sequence, index);
  if (place.empty()) return query_label(result, sequence, query);
  return own(token_at(sequences, sequence, index)->text + place);
}

std::string placed_key_label(const LayerResult& result, std::int64_t sequence, std::int64_t key) {
  const std::vector<Sequence>& sequences = sequences_of_keys(result.document.input);
  const bool of_token = key < result.dimensions.token_keys();
  const std::string place = of_token ? place_of_repeated(sequences, sequence, key) : std::string();
  if (place.empty()) return key_label(result, sequence, key);
  return own(token_at(sequences, sequence, key)->text + place);
}

bool is_unknown_query(const LayerResult& result, std::int64_t sequence, std::int64_t query) {
  const Token* const token =
      token_at(result.document.input.sequences, sequence, position_of(result, sequence, query));
  return token != nullptr && token->unknown;
}

bool is_unknown_key(const LayerResult& result, std::int64_t sequence, std::int64_t key) {
  const Token* const token = token_at(sequences_of_keys(result.document.input), sequence, key);
  return token != nullptr && token->unknown;
}

bool is_cross(const LayerResult& result) {
  const Input& input = result.document.input;
  if (input.is_given()) {
    const bool cache = result.dimensions.past > 0 || !input.given().lengths.empty();
    return !cache && result.dimensions.queries != result.dimensions.token_keys();
  }
  return !input.memory.empty() || static_cast<bool>(input.vectors().key);
}

std::string role_name(const LayerResult& result, std::int64_t head) {
  const std::string name = role_of(result, head).does;
  if (name.empty()) return "head " + std::to_string(head);
  return name;
}

std::string short_role_name(const Ui& ui, const LayerResult& result, std::int64_t head) {
  const std::string name = ui.translated(role_name(result, head));
  return own(name.substr(0, name.find(' ')));
}

}  // namespace attnscope
