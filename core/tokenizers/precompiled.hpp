// core/tokenizers: SentencePiece's precompiled normalization: a double-array trie of prefixes and their
// replacements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizers/text/aligned_text.hpp"

namespace attnscope::tokenizers {

/// A character map in SentencePiece's format: the size of the double array in bytes as a little-endian u32,
/// its units, then strings that each end with a zero byte.
class PrecompiledMap {
 public:
  /// Throws Error if the bytes are cut short or the strings are not valid UTF-8.
  explicit PrecompiledMap(std::string_view bytes);

  /// Replaces every grapheme of less than six bytes as a whole if the map has an entry that it begins with,
  /// else character by character.
  void apply(AlignedText& text) const;
  /// The replacement for the shortest entry that `chunk` begins with; it replaces the whole chunk.
  std::optional<std::string_view> replacement(std::string_view chunk) const;

 private:
  std::vector<std::uint32_t> units_;
  std::string strings_;
};

/// Throws Error if the text is not base64.
std::string from_base64(std::string_view text);

}  // namespace attnscope::tokenizers
