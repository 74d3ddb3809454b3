#include "core/tokenizers/added_tokens.hpp"

#include <algorithm>

namespace attnscope::tokenizers {
namespace {

/// The first byte of the character that ends at `end`.
std::size_t start_of_last(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;
  while (is_continuation(text[at])) --at;
  return at;
}

bool stands_alone(std::string_view text, Range range) {
  const bool left =
      range.begin > 0 && is_word_character(character_at(text, start_of_last(text, range.begin)));
  const bool right = range.end < text.size() && is_word_character(character_at(text, range.end));
  return !left && !right;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer)
    : tokens_(std::move(tokens)) {
  for (std::size_t place = 0; place < tokens_.size(); ++place) {
    const AddedToken& token = tokens_[place];
    const auto id = static_cast<std::int32_t>(place);
    places_[token.id] = place;
    if (!token.normalized) {
      raw_.insert(token.text, id);
    } else {
      AlignedText text(token.text, {0, token.text.size()});
      normalize(normalizer, text);
      if (!text.text().empty()) normalized_.insert(text.text(), id);
    }
  }
}

const AddedToken* AddedTokens::by_id(Id id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? nullptr : &tokens_[found->second];
}

const AddedToken* AddedTokens::by_text(std::string_view text) const {
  const auto found = std::find_if(tokens_.begin(), tokens_.end(),
                                  [&](const AddedToken& token) { return token.text == text; });
  return found == tokens_.end() ? nullptr : &*found;
}

std::vector<Section> AddedTokens::find(std::string_view text, const Trie& trie, bool with_special) const {
  std::vector<Section> sections;
  std::size_t taken = 0;  // text before this byte is already in a section
  for (std::size_t at = 0; at < text.size();) {
    if (!trie.begins_any(text[at])) {
      ++at;
      continue;
    }
    const auto [length, place] = trie.longest(text.substr(at));
    if (length == 0) {
      ++at;
      continue;
    }
    Range range{at, at + length};
    at = range.end;
    const AddedToken& token = tokens_[static_cast<std::size_t>(place)];
    if ((token.special && !with_special) || range.begin < taken) continue;
    if (token.single_word && !stands_alone(text, range)) continue;
    while (token.left_strip && range.begin > taken) {
      const std::size_t before = start_of_last(text, range.begin);
      if (!is_white_space(character_at(text, before))) break;
      range.begin = before;
    }
    while (token.right_strip && range.end < text.size() && is_white_space(character_at(text, range.end))) {
      range.end += character_size(text[range.end]);
    }
    if (range.begin > taken) sections.push_back({{taken, range.begin}, no_id});
    sections.push_back({range, token.id});
    taken = range.end;
  }
  if (taken < text.size()) sections.push_back({{taken, text.size()}, no_id});
  return sections;
}

}  // namespace attnscope::tokenizers
