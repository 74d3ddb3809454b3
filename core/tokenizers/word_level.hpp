// core/tokenizers: one token for each word of the vocabulary.
#pragma once

#include "core/tokenizers/model.hpp"

namespace attnscope::tokenizers {

class WordLevel final : public Model {
 public:
  WordLevel(std::shared_ptr<const Vocabulary> vocabulary, Id unknown)
      : Model(std::move(vocabulary)), unknown_(unknown) {}

  /// The unknown token if the word is not in the vocabulary.
  void encode(std::string_view word, bool bytes, std::vector<WordToken>& to) const override;
  Id unknown() const override { return unknown_; }

 private:
  Id unknown_;
};

}  // namespace attnscope::tokenizers
