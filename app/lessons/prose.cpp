// app/lessons: parses one paragraph of prose into pieces.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/lessons/lesson.hpp"
#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::lessons {
namespace {

struct AnchorKind {
  std::string_view name;
  Anchor::Kind kind;
  std::size_t places;
  bool has_name;
};
constexpr std::array<AnchorKind, 9> anchor_kinds{{
    {"query", Anchor::Kind::Query, 1, false},
    {"key", Anchor::Kind::Key, 1, false},
    {"value", Anchor::Kind::Value, 1, false},
    {"cell", Anchor::Kind::Cell, 2, false},
    {"head", Anchor::Kind::Head, 1, false},
    {"stage", Anchor::Kind::Stage, 0, true},
    {"control", Anchor::Kind::Control, 0, true},
    {"a", Anchor::Kind::SideA, 0, false},
    {"b", Anchor::Kind::SideB, 0, false},
}};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == text.npos) break;
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return words;
}

/// A text whose line breaks became spaces; it can tell the line of a part of it.
class Lined {
 public:
  Lined(std::string_view text, int line) : flat_(text), line_(line) {
    for (std::size_t at = flat_.find('\n'); at != flat_.npos; at = flat_.find('\n', at)) {
      breaks_.push_back(at);
      flat_[at] = ' ';
    }
  }
  std::string_view flat() const { return flat_; }
  int line_of(const char* part) const {
    if (line_ == 0) return 0;
    const auto at = static_cast<std::size_t>(part - flat_.data());
    return line_ + static_cast<int>(std::ranges::lower_bound(breaks_, at) - breaks_.begin());
  }

 private:
  std::string flat_;
  std::vector<std::size_t> breaks_;
  int line_;
};

/// Reads a part of a text, which must outlive it.
class ProseReader {
 public:
  ProseReader(const Lined& whole, std::string_view part, bool numbers_alone = false)
      : whole_(whole), text_(part), numbers_alone_(numbers_alone) {}

  Prose read() {
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      try {
        take();
      } catch (const LineError&) {
        throw;
      } catch (const Error& error) {
        throw LineError(whole_.line_of(text_.data() + begin), error.what());
      }
    }
    flush();
    return std::move(prose_);
  }

 private:
  void take() {
    const char c = text_[at_];
    if (c == '\\' && at_ + 1 < text_.size()) {
      plain_ += text_[at_ + 1];
      at_ += 2;
    } else if (c == '{') {
      take_number();
    } else if (numbers_alone_) {
      take_plain();
    } else if (text_.substr(at_).starts_with("**")) {
      take_strong();
    } else if (c == '$') {
      take_formula();
    } else if (c == '[') {
      take_link();
    } else {
      take_plain();
    }
  }
  void take_plain() { plain_ += text_[at_++]; }

  void flush() {
    if (!plain_.empty())
      prose_.push_back(
          {.text = std::exchange(plain_, {}), .number = {}, .style = {}, .level = 0, .anchor = {}});
  }

  /// The text between two marks; the position moves behind the closing one.
  std::string_view between(std::string_view open, std::string_view close) {
    const std::size_t begin = at_ + open.size(), end = text_.find(close, begin);
    if (end == text_.npos)
      throw Error(
          fmt::format("{} is opened but not closed with \"{}\".", in_quotes(text_.substr(at_), 24), close));
    if (end == begin) throw Error(fmt::format("Nothing stands between \"{}\" and \"{}\".", open, close));
    at_ = end + close.size();
    return text_.substr(begin, end - begin);
  }

  /// Strong text may contain numbers.
  void take_strong() {
    flush();
    for (Piece& piece : ProseReader(whole_, between("**", "**")).read()) {
      if (piece.kind == Piece::Kind::Plain) piece.kind = Piece::Kind::Strong;
      prose_.push_back(std::move(piece));
    }
  }

  /// "e^{2}x_i √{d_k:d}": ^ and _ apply to one character, or to the text in braces; other braces contain a
  /// number that is computed, and so do braces with a format.
  void take_formula() {
    flush();
    std::string_view formula = between("$", "$");
    const auto add = [&](std::string_view text, int level) {
      if (text.empty()) return;
      Piece piece;
      piece.kind = Piece::Kind::Formula;
      piece.text = text;
      piece.level = level;
      prose_.push_back(std::move(piece));
    };
    const auto braced = [&] {
      const std::size_t close = formula.find('}');
      if (close == formula.npos) throw Error(fmt::format("{} has no closing brace.", in_quotes(formula, 24)));
      const std::string_view inside = formula.substr(1, close - 1);
      formula.remove_prefix(close + 1);
      return inside;
    };
    while (!formula.empty()) {
      const std::size_t at = std::min(formula.find_first_of("^_{"), formula.size());
      add(formula.substr(0, at), 0);
      formula.remove_prefix(at);
      if (formula.empty()) break;
      int level = 0;
      if (formula[0] != '{') {
        level = formula[0] == '^' ? 1 : -1;
        formula.remove_prefix(1);
        if (formula.empty()) throw Error("A formula ends with \"^\" or \"_\".");
      }
      if (formula[0] != '{') {
        std::size_t length = 1;
        while (length < formula.size() && (static_cast<unsigned char>(formula[length]) & 0xC0) == 0x80)
          ++length;
        add(formula.substr(0, length), level);
        formula.remove_prefix(length);
        continue;
      }
      const std::string_view inside = braced();
      if (level != 0 && inside.find(':') == inside.npos) {
        add(inside, level);
      } else {
        prose_.push_back(number_of(inside));
        prose_.back().level = level;
      }
    }
  }

  void take_number() {
    flush();
    prose_.push_back(number_of(between("{", "}")));
  }

  Piece number_of(std::string_view inside) const {
    Piece piece;
    piece.kind = Piece::Kind::Number;
    const std::size_t colon = inside.rfind(':');
    piece.text = inside.substr(0, colon);
    piece.number = Expression::parse(piece.text, whole_.line_of(inside.data()));
    if (colon != inside.npos) piece.style = parse_number_style(inside.substr(colon + 1));
    return piece;
  }

  /// The words of a link may contain numbers; all have the same anchor.
  void take_link() {
    flush();
    const std::string_view words = between("[", "]");
    if (at_ >= text_.size() || text_[at_] != '(')
      throw Error(
          fmt::format("Behind \"[{}]\" stands no object; expected \"(query 2)\" or the like.", words));
    const Anchor anchor = parse_anchor(between("(", ")"));
    for (Piece& piece : ProseReader(whole_, words).read()) {
      piece.anchor = anchor;
      prose_.push_back(std::move(piece));
    }
  }

  const Lined& whole_;
  std::string_view text_;
  bool numbers_alone_;
  std::size_t at_ = 0;
  std::string plain_;
  Prose prose_;
};

}  // namespace

Anchor parse_anchor(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  const auto kind =
      words.empty() ? anchor_kinds.end() : std::ranges::find(anchor_kinds, words[0], &AnchorKind::name);
  if (kind == anchor_kinds.end()) {
    std::vector<std::string_view> names;
    for (const AnchorKind& known : anchor_kinds) names.push_back(known.name);
    throw Error(
        fmt::format("\"{}\" is no object of the screen; there are {}.", text, fmt::join(names, ", ")));
  }
  Anchor anchor;
  anchor.kind = kind->kind;
  if (kind->has_name) {
    if (words.size() != 2)
      throw Error(fmt::format("\"{}\" needs one name behind it; found \"{}\".", kind->name, text));
    anchor.name = words[1];
    return anchor;
  }
  // A query, key or value without a number stands for all of them.
  const bool may_be_all = kind->places == 1 && kind->kind != Anchor::Kind::Head;
  if (words.size() - 1 != kind->places && !(may_be_all && words.size() == 1))
    throw Error(fmt::format("\"{}\" needs {} {} behind it; found \"{}\".", kind->name, kind->places,
                            kind->places == 1 ? "number" : "numbers", text));
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::int64_t place = 0;
    const auto [end, trouble] = std::from_chars(words[i].data(), words[i].data() + words[i].size(), place);
    if (trouble != std::errc() || end != words[i].data() + words[i].size() || place < 0 || place > 4095)
      throw Error(
          fmt::format("\"{}\" in \"{}\" is no place; expected a number from 0 to 4095.", words[i], text));
    anchor.places.push_back(place);
  }
  return anchor;
}

Prose parse_prose(std::string_view text, int line) {
  const Lined whole(text, line);
  return ProseReader(whole, whole.flat()).read();
}

Prose parse_notes(std::string_view text, int line) {
  const Lined whole(text, line);
  return ProseReader(whole, whole.flat(), true).read();
}

}  // namespace attnscope::lessons
