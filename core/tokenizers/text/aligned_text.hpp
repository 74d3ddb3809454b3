// core/tokenizers/text: a rewritten text, with the bytes of the original text that each of its bytes comes
// from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers {

/// The maximum length of a text, so that 32 bits hold an offset.
inline constexpr std::size_t max_encoded_bytes = std::size_t{1} << 30;

class AlignedText {
 public:
  AlignedText() = default;
  /// A part of the original text, unchanged.
  AlignedText(std::string_view source, Range part) : text_(cut(source, part)), shift_(part.begin) {}

  const std::string& text() const { return text_; }
  /// The bytes of the original text that a part comes from: whole characters. The part must not be empty.
  Range source(Range part) const;
  AlignedText slice(Range part) const;

 private:
  friend class Rewriter;
  struct Span {
    std::uint32_t begin, end;
  };
  Span span(std::size_t byte) const;

  std::string text_;
  std::vector<Span> spans_;  // of each byte; empty: byte i is byte shift_ + i of the original text
  std::size_t shift_ = 0;
};

/// Rewrites a text from beginning to end. Inserted characters are aligned with the character before them;
/// skipped characters are dropped. Throws Error if the new text becomes longer than 16 MB and than sixteen
/// times the old one.
class Rewriter {
 public:
  explicit Rewriter(const AlignedText& from);

  /// Writes `character` in place of the next one.
  void replace(char32_t character);
  /// Inserts the character before the next one.
  void insert(char32_t character);
  void insert(std::string_view text);
  /// Copies everything up to a byte of the old text.
  void keep_to(std::size_t byte);
  /// Skips the next character, or everything up to a byte of the old text.
  void skip() { at_ += character_size(from_.text_[at_]); }
  void skip_to(std::size_t byte) { at_ = byte; }

  bool at_end() const { return at_ == from_.text_.size(); }
  /// The next byte of the old text; the length of the new one.
  std::size_t at() const { return at_; }
  std::size_t size() const { return made_.text_.size(); }
  char32_t next() const { return character_at(from_.text_, at_); }
  AlignedText finish();

 private:
  void append(char32_t character, AlignedText::Span);

  const AlignedText& from_;
  AlignedText made_;
  std::size_t at_ = 0;
};

}  // namespace attnscope::tokenizers
