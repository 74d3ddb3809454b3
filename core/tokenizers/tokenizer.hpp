// core/tokenizers: the tokenizer of a model: text to ids and back, token for token as the model was trained.
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

/// Ids with a role; no_id where the files tell none.
struct SpecialIds {
  Id bos = no_id, eos = no_id, unk = no_id, sep = no_id, pad = no_id, cls = no_id, mask = no_id;
};

/// All that makes a tokenizer, as values; the reader of a file fills it in.
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
  bool add_special_tokens = true;   // what the model's format puts around a text
  bool find_special_tokens = true;  // "<s>" in the text is that token, else it is three characters
};

/// Immutable: any number of threads may use one.
class Tokenizer {
 public:
  /// Throws Error naming the part when ids do not fit together: an added token whose id another token has or
  /// whose text the vocabulary knows by another id, a format with an id that no token has.
  explicit Tokenizer(TokenizerParts parts);

  /// Throws Error naming the byte where `text` is no valid UTF-8, or when an expression gives up.
  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  Encoding encode(std::string_view text, std::string_view pair, const EncodeOptions& options = {}) const;
  /// Ids that no token has are left out.
  std::string decode(std::span<const Id> ids, bool skip_special = true) const;
  /// One token for the eye: real spaces; a byte that is no character is shown as \xNN. Empty for an unknown
  /// id.
  std::string piece(Id id) const;

  /// One more than the largest id: the rows an embedding needs.
  Id vocabulary_size() const { return static_cast<Id>(known_.size()); }
  /// As the vocabulary has it; null when there is no such id.
  const std::string* token(Id id) const { return known(id).text; }
  /// no_id when there is no such token.
  Id id(std::string_view token) const;
  bool is_special(Id id) const { return known(id).special; }
  const SpecialIds& special_ids() const { return parts_.special_ids; }

  /// A text after the first step and after the first two, added tokens left aside, for showing how it works;
  /// the ranges are bytes of `text`.
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
    const std::string* text = nullptr;  // in the vocabulary or in added_
    bool special = false;
  };
  Known known(Id id) const {
    return id >= 0 && id < vocabulary_size() ? known_[static_cast<std::size_t>(id)] : Known{};
  }
  std::vector<Known> known_;  // of each id
};

}  // namespace attnscope::tokenizers
