// core/tokenizers: what cuts one word into tokens of a vocabulary. Immutable, so any number of threads may
// ask.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/tokenizers/vocabulary.hpp"

namespace attnscope::tokenizers {

/// A token of a word: its bytes there.
struct WordToken {
  Id id = no_id;  // no_id: these bytes have no token and the model knows no unknown
  std::uint32_t begin = 0, end = 0;
};

class Model {
 public:
  explicit Model(std::shared_ptr<const Vocabulary> vocabulary) : vocabulary_(std::move(vocabulary)) {}
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Adds the tokens of `word`, which is not empty, from left to right. When `bytes`, the word is read in the
  /// byte alphabet: each of its bytes as one character. Only a model that takes_bytes() is asked that.
  virtual void encode(std::string_view word, bool bytes, std::vector<WordToken>& to) const = 0;
  virtual bool takes_bytes() const { return false; }
  /// The token for what has none.
  virtual Id unknown() const = 0;

  const Vocabulary& vocabulary() const { return *vocabulary_; }

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace attnscope::tokenizers
