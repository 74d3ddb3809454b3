// core/tokenizers: the tokens that are looked for in the text itself before a model sees it: <|endoftext|>,
// <mask>.
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
  bool special = false;      // stands for no word
  bool normalized = false;   // looked for in the normalized text, in its own normalized form
  bool left_strip = false;   // takes the white space before it with it
  bool right_strip = false;  // and behind it
  bool single_word = false;  // only between what is no word character
};

/// A part of a text: an added token, or text (no_id).
struct Section {
  Range range;
  Id id = no_id;
};

/// Immutable.
class AddedTokens {
 public:
  /// Texts must not be empty; ids must differ.
  AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer);

  /// Cuts a text at the tokens that are looked for before or after normalization, the longest at the leftmost
  /// place first. Sections are not empty and cover the text. Special tokens count as text when `with_special`
  /// is false.
  std::vector<Section> find_raw(std::string_view text, bool with_special) const {
    return find(text, raw_, with_special);
  }
  std::vector<Section> find_normalized(std::string_view text, bool with_special) const {
    return find(text, normalized_, with_special);
  }

  /// Null when no added token has this id or text.
  const AddedToken* by_id(Id id) const;
  const AddedToken* by_text(std::string_view text) const;
  const std::vector<AddedToken>& tokens() const { return tokens_; }

 private:
  std::vector<Section> find(std::string_view text, const Trie& trie, bool with_special) const;

  std::vector<AddedToken> tokens_;
  Trie raw_, normalized_;  // their ids are places in tokens_
  std::unordered_map<Id, std::size_t> places_;
};

}  // namespace attnscope::tokenizers
