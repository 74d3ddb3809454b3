// core/tokenizers: BERT's WordPiece: the longest token first, then the longest continuing token.
#pragma once

#include <string>

#include "core/tokenizers/model.hpp"
#include "core/tokenizers/text/trie.hpp"

namespace attnscope::tokenizers {

struct WordPieceSettings {
  Id unknown = no_id;
  std::string continuing_prefix = "##";
  std::size_t most_characters = 100;  // a longer word is unknown
};

class WordPiece final : public Model {
 public:
  WordPiece(std::shared_ptr<const Vocabulary> vocabulary, const WordPieceSettings& settings);

  /// The whole word is unknown if one of its parts is.
  void encode(std::string_view word, bool bytes, std::vector<WordToken>& to) const override;
  Id unknown() const override { return unknown_; }

 private:
  Trie first_, continuing_;
  Id unknown_;
  std::size_t most_characters_;
};

}  // namespace attnscope::tokenizers
