// core/tokenizers: added tokens, which are found in the text itself before the model's own tokenisation:
// <|endoftext|>, <mask>.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/tokenizers/normalizer.hpp"
#include "core/tokenizers/text/trie.hpp"
#include "core/tokenizers/vocabulary.hpp"

namespace attnscope::tokenizers {

struct AddedToken {
  std::string text{};
  Id id = no_id;
  bool special = false;      // not a word of the text
  bool normalized = false;   // found in the normalized text, in its own normalized form
  bool left_strip = false;   // includes the white space before it
  bool right_strip = false;  // includes the white space behind it
  bool single_word = false;  // only if no word character is next to it
};

/// A part of a text: an added token, or plain text (no_id).
struct Section {
  Range range;
  Id id = no_id;
};

/// Immutable.
class AddedTokens {
 public:
  /// Texts must not be empty; ids must differ.
  AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer);

  /// Cuts a text at the tokens to find before or after normalization; at the leftmost place the longest token
  /// wins. Sections are not empty and cover the text. Special tokens count as text if `with_special` is
  /// false.
  std::vector<Section> find_raw(std::string_view text, bool with_special) const {
    return find(text, raw_, with_special);
  }
  std::vector<Section> find_normalized(std::string_view text, bool with_special) const {
    return find(text, normalized_, with_special);
  }

  /// Null if no added token has this id or text.
  const AddedToken* by_id(Id id) const;
  const AddedToken* by_text(std::string_view text) const;
  const std::vector<AddedToken>& tokens() const { return tokens_; }

 private:
  std::vector<Section> find(std::string_view text, const Trie& trie, bool with_special) const;

  std::vector<AddedToken> tokens_;
  Trie raw_, normalized_;  // their ids are indices into tokens_
  std::unordered_map<Id, std::size_t> places_;
};

}  // namespace attnscope::tokenizers
