// core/tokenizers/text: a text that was rewritten, and which bytes of the person's text each of its bytes
// stands for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers {

/// A text is never longer than this, so that 32 bits hold a place in it.
inline constexpr std::size_t max_encoded_bytes = std::size_t{1} << 30;

class AlignedText {
 public:
  AlignedText() = default;
  /// A part of the person's text as it stands there.
  AlignedText(std::string_view source, Range part) : text_(cut(source, part)), shift_(part.begin) {}

  const std::string& text() const { return text_; }
  /// The bytes of the person's text that a part stands for: whole characters. The part must not be empty.
  Range source(Range part) const;
  AlignedText slice(Range part) const;

 private:
  friend class Rewriter;
  struct Span {
    std::uint32_t begin, end;
  };
  Span span(std::size_t byte) const;

  std::string text_;
  std::vector<Span> spans_;  // of each byte; none: byte i is byte shift_ + i of the person's text
  std::size_t shift_ = 0;
};

/// Writes a text anew, from its beginning to its end. What is inserted stands for the same bytes as the
/// character before it; what is left out stands for nothing. Throws Error when the new text becomes more than
/// sixteen times as long as the old one and sixteen megabytes.
class Rewriter {
 public:
  explicit Rewriter(const AlignedText& from);

  /// Writes `character` in place of the next one.
  void replace(char32_t character);
  /// Writes it between the last one that was taken and the next.
  void insert(char32_t character);
  void insert(std::string_view text);
  /// Copies all up to a byte of the old text.
  void keep_to(std::size_t byte);
  /// Leaves out the next one, or all up to a byte of the old text.
  void skip() { at_ += character_size(from_.text_[at_]); }
  void skip_to(std::size_t byte) { at_ = byte; }

  bool at_end() const { return at_ == from_.text_.size(); }
  /// The next byte of the old text; how long the new one is.
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
