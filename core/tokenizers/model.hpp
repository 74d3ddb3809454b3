// core/tokenizers: cuts one word into tokens of a vocabulary. Immutable, so thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/tokenizers/vocabulary.hpp"

namespace attnscope::tokenizers {

/// A token of a word and its bytes in the word.
struct WordToken {
  Id id = no_id;  // no_id: the vocabulary has no token for these bytes and no unknown token
  std::uint32_t begin = 0, end = 0;
};

class Model {
 public:
  explicit Model(std::shared_ptr<const Vocabulary> vocabulary) : vocabulary_(std::move(vocabulary)) {}
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Adds the tokens of `word`, which is not empty, from left to right. If `bytes`, each byte of the word is
  /// read as its character of the byte alphabet; only for models with takes_bytes().
  virtual void encode(std::string_view word, bool bytes, std::vector<WordToken>& to) const = 0;
  virtual bool takes_bytes() const { return false; }
  /// The token for unknown text.
  virtual Id unknown() const = 0;

  const Vocabulary& vocabulary() const { return *vocabulary_; }

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace attnscope::tokenizers
