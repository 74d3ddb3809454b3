#include "tests/robot/source_tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/base/error.hpp"

namespace attnscope {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void append_utf8(std::string& out, unsigned long code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<SourceToken> tokens() {
    while (skip_space(), at_ < text_.size()) take();
    if (!open_.empty()) throw Error("A bracket is not closed.");
    return std::move(all_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  void advance(std::size_t count) {
    for (const std::size_t end = std::min(at_ + count, text_.size()); at_ < end; ++at_)
      line_ += text_[at_] == '\n' ? 1 : 0;
  }

  void skip_space() {
    for (bool starts_line = at_ == 0; at_ < text_.size(); starts_line |= text_[at_] == '\n', advance(1)) {
      while (rest().starts_with("//") || rest().starts_with("/*") || (starts_line && text_[at_] == '#')) {
        const bool block = rest().starts_with("/*");
        const std::size_t end = block ? text_.find("*/", at_) + 2 : text_.find('\n', at_);
        advance(std::min(end, text_.size()) - at_);
        if (at_ == text_.size()) return;
      }
      if (std::isspace(static_cast<unsigned char>(text_[at_])) == 0) return;
    }
  }

  void add(SourceToken::Kind kind, std::string text) { all_.push_back({kind, std::move(text), line_, 0}); }

  void take() {
    const char c = text_[at_];
    if (rest().starts_with("R\"")) return raw_text();
    if (c == '"') return text();
    if (c == '\'') return add(SourceToken::Kind::Character, quoted('\''));
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    if (is_name(c)) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_name(text_[at_])) ++at_;
      return add(SourceToken::Kind::Name, std::string(text_.substr(begin, at_ - begin)));
    }
    sign();
  }

  void number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (is_name(text_[at_]) || text_[at_] == '.' || text_[at_] == '\'' ||
            ((text_[at_] == '-' || text_[at_] == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'p'))))
      ++at_;
    add(SourceToken::Kind::Number, std::string(text_.substr(begin, at_ - begin)));
  }

  void sign() {
    static constexpr std::array<std::string_view, 17> longer{"<=>", "...", "::", "->", "++", "--",
                                                             "+=",  "-=",  "*=", "/=", "==", "!=",
                                                             "<=",  ">=",  "&&", "||", "<<"};
    std::size_t size = 1;
    for (const std::string_view each : longer)
      if (rest().starts_with(each)) {
        size = each.size();
        break;
      }
    add(SourceToken::Kind::Sign, std::string(rest().substr(0, size)));
    advance(size);
    SourceToken& last = all_.back();
    if (last.opens()) open_.push_back(all_.size() - 1);
    if (!last.is(")") && !last.is("]") && !last.is("}")) return;
    if (open_.empty()) throw Error("A bracket is closed that was not opened.");
    last.mate = open_.back();
    all_[open_.back()].mate = all_.size() - 1;
    open_.pop_back();
  }

  void add_text(std::string text) {
    if (!all_.empty() && all_.back().kind == SourceToken::Kind::Text)
      all_.back().text += text;
    else
      add(SourceToken::Kind::Text, std::move(text));
  }
  void text() { add_text(quoted('"')); }

  void raw_text() {
    const std::size_t open = text_.find('(', at_);
    const std::string end = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    const std::size_t close = text_.find(end, open);
    if (close == std::string_view::npos) throw Error("A raw literal is not closed.");
    std::string inside(text_.substr(open + 1, close - open - 1));
    advance(close + end.size() - at_);
    add_text(std::move(inside));
  }

  std::string quoted(char end) {
    std::string out;
    for (advance(1); at_ < text_.size() && text_[at_] != end; advance(1)) {
      if (text_[at_] != '\\') {
        out += text_[at_];
        continue;
      }
      advance(1);
      escape(out);
    }
    advance(1);
    return out;
  }

  void escape(std::string& out) {
    const char c = text_[at_];
    const auto code = [&](std::size_t digits) {
      const std::string number(text_.substr(at_ + 1, digits));
      advance(digits);
      return std::strtoul(number.c_str(), nullptr, 16);
    };
    if (c == 'u') {
      append_utf8(out, code(4));
    } else if (c == 'x') {
      out += static_cast<char>(code(2));
    } else {
      constexpr std::string_view letters = "ntr0", bytes{"\n\t\r\0", 4};
      const std::size_t known = letters.find(c);
      out += known == std::string_view::npos ? c : bytes[known];
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<SourceToken> all_;
  std::vector<std::size_t> open_;
};

}  // namespace

std::vector<SourceToken> tokens_of(std::string_view source) { return Lexer(source).tokens(); }

std::vector<SourceToken> tokens_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return tokens_of(text.str());
  } catch (const Error& error) {
    throw Error(path.native() + ": " + error.what());
  }
}

}  // namespace attnscope
