// core/tokenizers: a model's tokenizer: text to ids and back, token for token as in training.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizers/added_tokens.hpp"
#include "core/tokenizers/decoder.hpp"
#include "core/tokenizers/encoding.hpp"
#include "core/tokenizers/model.hpp"
#include "core/tokenizers/normalizer.hpp"
#include "core/tokenizers/post_processor.hpp"
#include "core/tokenizers/pre_tokenizer.hpp"

namespace attnscope::tokenizers {

/// Ids with a role; no_id if the files name none.
struct SpecialIds {
  Id bos = no_id, eos = no_id, unk = no_id, sep = no_id, pad = no_id, cls = no_id, mask = no_id;
};

/// All parts of a tokenizer as values, filled in by the reader of a file.
struct TokenizerParts {
  std::vector<AddedToken> added_tokens;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  std::unique_ptr<const Model> model;
  PostProcessor post_processor;
  Decoder decoder;
  SpecialIds special_ids;
};

struct EncodeOptions {
  bool add_special_tokens = true;   // those of the model's format, around a text
  bool find_special_tokens = true;  // "<s>" in the text is that token, not three characters
};

/// Immutable and thread-safe.
class Tokenizer {
 public:
  /// Throws Error naming the part if ids contradict each other: an added token with the id of another token,
  /// or whose text has another id in the vocabulary; a format with an id that no token has.
  explicit Tokenizer(TokenizerParts parts);

  /// Throws Error naming the byte if `text` is not valid UTF-8, or if an expression exceeds its limits.
  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  Encoding encode(std::string_view text, std::string_view pair, const EncodeOptions& options = {}) const;
  /// Unknown ids are left out.
  std::string decode(std::span<const Id> ids, bool skip_special = true) const;
  /// One token for display: real spaces; a byte that is not a character as \xNN. Empty for an unknown id.
  std::string piece(Id id) const;

  /// The largest id plus one: the number of rows of an embedding table.
  Id vocabulary_size() const { return static_cast<Id>(known_.size()); }
  /// The token as in the vocabulary; null if there is no such id.
  const std::string* token(Id id) const { return known(id).text; }
  /// no_id if there is no such token.
  Id id(std::string_view token) const;
  bool is_special(Id id) const { return known(id).special; }
  const SpecialIds& special_ids() const { return parts_.special_ids; }

  /// A text after normalization, and its words after pre-tokenization, for showing how the tokenizer works;
  /// added tokens are not looked for. Ranges are bytes of `text`.
  std::string normalized(std::string_view text) const;
  struct Word {
    std::string text;
    Range range;
  };
  std::vector<Word> words(std::string_view text) const;

 private:
  class Run;
  Encoding put_together(std::span<const std::string_view> texts, const EncodeOptions& options) const;

  TokenizerParts parts_;
  AddedTokens added_;
  struct Known {
    const std::string* text = nullptr;  // points into the vocabulary or added_
    bool special = false;
  };
  Known known(Id id) const {
    return id >= 0 && id < vocabulary_size() ? known_[static_cast<std::size_t>(id)] : Known{};
  }
  std::vector<Known> known_;  // by id
};

}  // namespace attnscope::tokenizers
