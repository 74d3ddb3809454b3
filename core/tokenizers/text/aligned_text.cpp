#include "core/tokenizers/text/aligned_text.hpp"

#include <utility>

#include "core/base/error.hpp"
#include "core/text/letters.hpp"

namespace attnscope::tokenizers {

AlignedText::Span AlignedText::span(std::size_t byte) const {
  if (!spans_.empty()) return spans_[byte];
  std::size_t begin = byte;
  while (is_continuation(text_[begin])) --begin;
  const std::size_t end = begin + character_size(text_[begin]);
  return {static_cast<std::uint32_t>(shift_ + begin), static_cast<std::uint32_t>(shift_ + end)};
}

Range AlignedText::source(Range part) const { return {span(part.begin).begin, span(part.end - 1).end}; }

AlignedText AlignedText::slice(Range part) const {
  AlignedText made;
  made.text_ = cut(text_, part);
  made.shift_ = shift_ + part.begin;
  if (!spans_.empty()) {
    const auto at = [&](std::size_t byte) { return spans_.begin() + static_cast<std::ptrdiff_t>(byte); };
    made.spans_.assign(at(part.begin), at(part.end));
  }
  return made;
}

Rewriter::Rewriter(const AlignedText& from) : from_(from) {
  made_.shift_ = from.shift_;
  made_.text_.reserve(from.text_.size());
  made_.spans_.reserve(from.text_.size());
}

void Rewriter::append(char32_t character, AlignedText::Span span) {
  constexpr std::size_t always_fine = std::size_t{1} << 24;
  if (made_.text_.size() > always_fine && made_.text_.size() / 16 > from_.text_.size()) {
    throw Error("The normalizer makes a text more than sixteen times as long.");
  }
  if (made_.text_.size() > max_encoded_bytes)
    throw Error("The normalizer makes a text of more than a gigabyte.");
  append_utf8(made_.text_, character);
  made_.spans_.resize(made_.text_.size(), span);
}

void Rewriter::replace(char32_t character) {
  append(character, from_.span(at_));
  skip();
}

void Rewriter::insert(char32_t character) {
  if (at_ > 0) {
    append(character, from_.span(at_ - 1));
  } else {
    const std::uint32_t begin =
        from_.text_.empty() ? static_cast<std::uint32_t>(from_.shift_) : from_.span(0).begin;
    append(character, {begin, begin});
  }
}

void Rewriter::insert(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); at += character_size(text[at])) insert(character_at(text, at));
}

void Rewriter::keep_to(std::size_t byte) {
  while (at_ < byte) {
    const AlignedText::Span span = from_.span(at_);
    const std::size_t size = character_size(from_.text_[at_]);
    made_.text_.append(from_.text_, at_, size);
    made_.spans_.resize(made_.text_.size(), span);
    at_ += size;
  }
}

AlignedText Rewriter::finish() { return std::move(made_); }

}  // namespace attnscope::tokenizers
