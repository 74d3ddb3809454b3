// core/tokenizers: SentencePiece's precompiled normalization: a double array of prefixes and what they
// become.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizers/text/aligned_text.hpp"

namespace attnscope::tokenizers {

/// A character map as SentencePiece writes it: the bytes of the double array as a little-endian u32, its
/// units, then strings that each end with a zero byte.
class PrecompiledMap {
 public:
  /// Throws Error when the bytes are cut short or the strings are not valid UTF-8.
  explicit PrecompiledMap(std::string_view bytes);

  /// Replaces every grapheme of less than six bytes as a whole if the map begins it, else character by
  /// character.
  void apply(AlignedText& text) const;
  /// What the shortest entry that `chunk` begins with becomes; it stands for the whole chunk.
  std::optional<std::string_view> replacement(std::string_view chunk) const;

 private:
  std::vector<std::uint32_t> units_;
  std::string strings_;
};

/// Throws Error when it is not base64.
std::string from_base64(std::string_view text);

}  // namespace attnscope::tokenizers
