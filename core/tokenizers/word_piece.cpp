#include "core/tokenizers/word_piece.hpp"

#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers {

WordPiece::WordPiece(std::shared_ptr<const Vocabulary> tokens, const WordPieceSettings& settings)
    : Model(std::move(tokens)), unknown_(settings.unknown), most_characters_(settings.most_characters) {
  const std::string_view prefix = settings.continuing_prefix;
  for (const auto& [token, id] : vocabulary().tokens()) {
    first_.insert(token, id);
    if (token.starts_with(prefix)) continuing_.insert(std::string_view(token).substr(prefix.size()), id);
  }
}

void WordPiece::encode(std::string_view word, bool, std::vector<WordToken>& to) const {
  const std::size_t start = to.size();
  std::size_t at = 0;
  if (count_characters(word) <= most_characters_) {
    while (at < word.size()) {
      const auto [length, id] = (at == 0 ? first_ : continuing_).longest(word.substr(at));
      if (length == 0) break;
      to.push_back({id, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + length)});
      at += length;
    }
  }
  if (at == word.size()) return;
  to.resize(start);
  to.push_back({unknown_, 0, static_cast<std::uint32_t>(word.size())});
}

}  // namespace attnscope::tokenizers
