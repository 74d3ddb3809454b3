#include "core/tokenizers/chat/jinja_source.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/letters.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/chat/jinja_sandbox.hpp"

namespace attnscope::tokenizers {
namespace {

// Limits for the recursive parser of a tag's brackets and operators.
constexpr std::size_t most_template_bytes = 32 << 10, most_tag_bytes = 4 << 10, most_brackets = 100;
// Limit for tags times bytes; real templates stay far below.
constexpr std::size_t most_searched_bytes = 10 << 20;

constexpr std::string_view jinja_spaces = " \t\n\r\f\v";

/// Normalises line ends as Jinja does; the last one is dropped.
std::string with_line_ends(std::string_view source) {
  std::string text;
  text.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    const bool is_pair = source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n';
    if (!is_pair) text += source[i] == '\r' ? '\n' : source[i];
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

class Resolver {
 public:
  explicit Resolver(std::string text) : text_(std::move(text)) {}

  void resolve() {
    for (;;) {
      const std::size_t begin = next_tag();
      if (begin == text_.npos) break;
      const char kind = text_[begin + 1];
      const std::string_view data = std::string_view(text_).substr(at_, begin - at_);
      at_ = begin + 2;
      const char sign = at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+') ? text_[at_++] : ' ';
      put_data(before_tag(data, kind, sign));
      kind == '#' ? comment() : tag(kind);
      if (++tags_ * text_.size() > most_searched_bytes)
        throw Error(fmt::format("It has more than {} tags in {} bytes, which takes too long.", tags_ - 1,
                                text_.size()));
      at_line_begin_ = text_[at_ - 1] == '\n';
    }
    put_data(std::string_view(text_).substr(at_));
    check_sandbox(codes_);
  }

  std::string take_text() { return std::move(made_); }
  std::vector<JinjaPiece> take_pieces() { return std::move(pieces_); }

 private:
  void put_data(std::string_view data) {
    made_ += data;
    if (!data.empty()) pieces_.push_back({.kind = 'd', .text = std::string(data)});
  }

  std::size_t next_tag() const {
    for (std::size_t i = text_.find('{', at_); i != text_.npos; i = text_.find('{', i + 1))
      if (i + 1 < text_.size() && (text_[i + 1] == '{' || text_[i + 1] == '%' || text_[i + 1] == '#'))
        return i;
    return text_.npos;
  }

  std::string_view before_tag(std::string_view data, char kind, char sign) const {
    if (sign == '-') return data.substr(0, data.find_last_not_of(jinja_spaces) + 1);
    if (sign == '+' || kind == '{') return data;
    const std::size_t line = data.rfind('\n') + 1;  // 0 if there is none
    const bool is_line = line > 0 || at_line_begin_;
    return is_line && data.find_first_not_of(jinja_spaces, line) == data.npos ? data.substr(0, line) : data;
  }

  void comment() {
    const std::size_t end = text_.find("#}", at_);
    if (end == text_.npos) throw Error("A comment, {#, does not end.");
    const char sign = end > at_ && (text_[end - 1] == '-' || text_[end - 1] == '+') ? text_[end - 1] : ' ';
    made_ += "{##}";
    at_ = end + 2;
    behind_block(sign);
  }

  /// Reads {{ … }} or {% … %}.
  void tag(char kind) {
    const std::size_t begin = at_;
    const std::string_view end = kind == '{' ? "}}" : "%}";
    made_ += kind == '{' ? "{{ " : "{% ";
    const std::size_t inside = made_.size();
    std::string code, brackets;
    while (at_ < text_.size()) {
      const std::string_view rest = std::string_view(text_).substr(at_);
      const bool signed_end =
          (rest[0] == '-' || (rest[0] == '+' && kind == '%')) && rest.substr(1).starts_with(end);
      if (brackets.empty() && (signed_end || rest.starts_with(end))) {
        at_ += end.size() + (signed_end ? 1 : 0);
        pieces_.push_back({.kind = kind, .text = made_.substr(inside)});
        made_ += ' ';
        made_ += end;
        codes_.push_back(std::move(code));
        if (kind == '%' || signed_end) behind_block(signed_end ? rest[0] : ' ');
        return;
      }
      if (rest[0] == '"' || rest[0] == '\'') {
        const std::size_t before = made_.size();
        string();
        code += made_.size() == before + 2 ? "\"\"" : "\"s\"";
        continue;
      }
      bracket(rest[0], brackets);
      code += text_[at_];
      if (code.size() > most_tag_bytes)
        throw Error(fmt::format("A tag is longer than {} characters.", most_tag_bytes));
      made_ += text_[at_++];
    }
    throw Error(fmt::format("A tag does not end: {}.", in_quotes(text_.substr(begin - 2), 40)));
  }

  static void bracket(char c, std::string& open) {
    constexpr std::string_view opening = "([{", closing = ")]}";
    if (const std::size_t at = opening.find(c); at != opening.npos) {
      open += closing[at];
      if (open.size() > most_brackets)
        throw Error(fmt::format("Brackets nest more than {} deep.", most_brackets));
    } else if (closing.find(c) != closing.npos) {
      if (open.empty() || open.back() != c) throw Error(fmt::format("A bracket {} does not fit.", c));
      open.pop_back();
    }
  }

  void behind_block(char sign) {
    if (sign == '-')
      at_ = std::min(text_.find_first_not_of(jinja_spaces, at_), text_.size());
    else if (sign != '+' && at_ < text_.size() && text_[at_] == '\n')
      ++at_;
  }

  /// Reads a string literal; Jinja decodes escapes like Python's unicode-escape.
  void string() {
    const char quote = text_[at_++];
    made_ += '"';
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        escape();
      } else {
        put(text_.substr(at_++, 1));
      }
    }
    if (at_ == text_.size()) throw Error("A string does not end.");
    ++at_;
    made_ += '"';
  }

  /// Reads the escape behind a backslash.
  void escape() {
    constexpr std::string_view names = "ntrbfav\\'\"", meant = "\n\t\r\b\f\a\v\\'\"";
    const char c = text_[at_];
    if (const std::size_t at = names.find(c); at != names.npos) {
      ++at_;
      put(meant.substr(at, 1));
    } else if (c == '\n') {
      ++at_;
    } else if (c == 'x' || c == 'u' || c == 'U') {
      ++at_;
      std::string character;
      append_utf8(character, code_point(c == 'x' ? 2 : c == 'u' ? 4 : 8));
      put(character);
    } else if ((c >= '0' && c <= '7') || c == 'N') {
      throw Error(fmt::format("A string has the escape \\{}, which is not supported.", c));
    } else {
      put("\\");
    }
  }

  char32_t code_point(std::size_t digits) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < digits; ++i, ++at_) {
      constexpr std::string_view hexadecimal = "0123456789abcdef";
      const char c = at_ < text_.size() ? text_[at_] : ' ';
      const std::size_t digit = hexadecimal.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
      if (digit == hexadecimal.npos)
        throw Error(fmt::format("A string has an escape with fewer than {} hexadecimal digits.", digits));
      value = value * 16 + digit;
    }
    if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
      throw Error("A string has an escape of a number that no character has.");
    return static_cast<char32_t>(value);
  }

  /// Adds to the string literal of the result.
  void put(std::string_view piece) {
    for (const char c : piece) {
      if (c == '"' || c == '\\') made_ += '\\';
      made_ += c;
    }
  }

  std::string text_;
  std::string made_;
  std::vector<JinjaPiece> pieces_;
  std::vector<std::string> codes_;  // of the tags, with their string literals emptied
  std::size_t at_ = 0, tags_ = 0;
  bool at_line_begin_ = true;
};

Resolver resolved(std::string_view source) {
  if (source.size() > most_template_bytes)
    throw Error(fmt::format("It has {} bytes; at most {} are read.", source.size(), most_template_bytes));
  Resolver made(with_line_ends(source));
  made.resolve();
  return made;
}

}  // namespace

std::string resolved_jinja(std::string_view source) { return resolved(source).take_text(); }
std::vector<JinjaPiece> jinja_pieces(std::string_view source) { return resolved(source).take_pieces(); }

}  // namespace attnscope::tokenizers
