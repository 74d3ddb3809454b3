// core/tokenizers: SentencePiece's unigram model: the segmentation with the largest sum of scores.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/tokenizers/model.hpp"
#include "core/tokenizers/text/trie.hpp"

namespace attnscope::tokenizers {

struct UnigramSettings {
  std::vector<double> scores{};  // by id: log probabilities
  Id unknown = no_id;
  bool byte_fallback = false;  // unknown text becomes its bytes, "<0xE2>"
};

class Unigram final : public Model {
 public:
  /// Every id must have a score.
  Unigram(std::shared_ptr<const Vocabulary> vocabulary, UnigramSettings settings);

  /// An unknown character scores 10 below the lowest token; adjacent unknown characters become one token. Of
  /// segmentations with equal sums, the one whose last token begins first wins.
  void encode(std::string_view word, bool bytes, std::vector<WordToken>& to) const override;
  Id unknown() const override { return settings_.unknown; }

 private:
  void add_unknown(std::string_view word, std::size_t begin, std::size_t end,
                   std::vector<WordToken>& to) const;

  Trie trie_;
  UnigramSettings settings_;
  double unknown_score_ = 0;
  std::optional<std::array<Id, 256>> fallback_;
};

}  // namespace attnscope::tokenizers
