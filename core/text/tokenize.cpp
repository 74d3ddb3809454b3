#include "core/text/tokenize.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>
#include <utf8proc.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using CodePoint = utf8proc_int32_t;

/// The role of a grapheme cluster (a character with its combining marks) for the tokenizer.
enum class Kind {
  Separator,   // ends a word and is dropped
  Invisible,   // is dropped; the word continues
  Letter,      // letters, marks and numerals other than decimal digits
  Digit,       // decimal digits of any script
  Connector,   // _ and its relatives
  Apostrophe,  // part of a word if between letters
  Point,       // part of a number if between digits
  Single,      // a token of its own
};

/// A code point of the normalised text, and the bytes of the original text that it comes from.
struct Character {
  CodePoint code_point;
  std::size_t begin, end;
};

struct Cluster {
  Kind kind;
  std::string text;
  std::size_t begin = 0, end = 0;
};

struct Range {
  CodePoint first, last;
};

/// Blocks of scripts without spaces between words: Han, Hiragana, Katakana and the marks used with them.
constexpr Range spaceless[] = {
    {0x2E80, 0x2FDF},    // radicals
    {0x3005, 0x3007},    // iteration mark, closing mark, zero
    {0x3021, 0x3029},    // Hangzhou numerals
    {0x3031, 0x3035},    // kana repeat marks
    {0x3038, 0x303C},    // Hangzhou tens, masu mark
    {0x3041, 0x30FF},    // Hiragana, Katakana and the length mark
    {0x31F0, 0x31FF},    // small Katakana
    {0x3400, 0x4DBF},    // Han extension A
    {0x4E00, 0x9FFF},    // Han
    {0xF900, 0xFAFF},    // compatibility Han
    {0xFF66, 0xFF9F},    // half-width Katakana
    {0x16FE2, 0x16FF1},  // Han reading and repeat marks
    {0x1AFF0, 0x1B16F},  // Kana supplement and extensions
    {0x20000, 0x3FFFF},  // Han extensions B and later: planes 2 and 3 hold nothing else
};

bool is_spaceless(CodePoint c) {
  for (const Range& range : spaceless) {
    if (c >= range.first && c <= range.last) return true;
  }
  return false;
}

Kind kind_of(CodePoint c) {
  switch (c) {
    case '\'':
    case 0x2019:  // ’
    case 0xFF07: return Kind::Apostrophe;
    case '.':
    case ',':
    case 0x066B:  // Arabic decimal separator
    case 0x066C: return Kind::Point;
    case 0x200B: return Kind::Separator;  // zero-width space: by definition a word boundary
    default: break;
  }
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return Kind::Separator;
    case UTF8PROC_CATEGORY_CF: return Kind::Invisible;
    case UTF8PROC_CATEGORY_PC: return Kind::Connector;
    case UTF8PROC_CATEGORY_ND: return Kind::Digit;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return is_spaceless(c) ? Kind::Single : Kind::Letter;
    default: return Kind::Single;
  }
}

/// Whether a character may compose with, or be reordered against, the one before it.
bool clings(CodePoint c) {
  const utf8proc_property_t* property = utf8proc_get_property(c);
  return property->combining_class != 0 || property->category == UTF8PROC_CATEGORY_MN ||
         property->category == UTF8PROC_CATEGORY_MC || property->category == UTF8PROC_CATEGORY_ME ||
         property->boundclass == UTF8PROC_BOUNDCLASS_V || property->boundclass == UTF8PROC_BOUNDCLASS_T;
}

/// Appends normalisation form C to `out`, one character with its marks at a time, since nothing else
/// composes. The library sorts marks in quadratic time, so a piece of nothing but marks, which no language
/// uses, is cut at `hard_limit`.
void append_nfc(std::string_view text, std::vector<Character>& out) {
  constexpr utf8proc_ssize_t hard_limit = 256;
  constexpr auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  std::vector<CodePoint> piece;
  for (utf8proc_ssize_t at = 0; at < size;) {
    const utf8proc_ssize_t start = at;
    CodePoint first = 0;
    for (utf8proc_ssize_t length = 0; at < size && length < hard_limit; ++length) {
      CodePoint c = 0;
      const utf8proc_ssize_t step = utf8proc_iterate(bytes + at, size - at, &c);
      if (length == 0) first = c;
      if (length > 0 && !clings(c)) break;
      at += step;
    }
    const auto begin = static_cast<std::size_t>(start), end = static_cast<std::size_t>(at);
    if (at - start == 1) {  // ASCII is already normalised
      out.push_back({first, begin, end});
      continue;
    }
    // A character decomposes into at most 4 (utf8proc.h); 8 leaves room, and the call reports if that is not
    // enough.
    piece.resize(8 * static_cast<std::size_t>(hard_limit));
    const auto room = static_cast<utf8proc_ssize_t>(piece.size());
    const utf8proc_ssize_t wrote = utf8proc_decompose(bytes + start, at - start, piece.data(), room, options);
    if (wrote < 0 || wrote > room) throw Error("The text cannot be normalised.");
    const utf8proc_ssize_t length = utf8proc_normalize_utf32(piece.data(), wrote, options);
    for (utf8proc_ssize_t i = 0; i < length; ++i)
      out.push_back({piece[static_cast<std::size_t>(i)], begin, end});
  }
}

void append_utf8(CodePoint c, std::string& text) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t length = utf8proc_encode_char(c, bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

/// Cuts one cluster. White space before a combining mark separates, and the mark stays visible. U+FE0F turns
/// a digit or letter into an emoji (keycaps, ℹ️), which is then a token of its own.
void append_cluster(std::span<const Character> cluster, std::vector<Cluster>& out) {
  while (!cluster.empty() && kind_of(cluster.front().code_point) == Kind::Separator) {
    if (out.empty() || out.back().kind != Kind::Separator) out.push_back({Kind::Separator, {}});
    cluster = cluster.subspan(1);
  }
  if (cluster.empty()) return;
  Cluster result{Kind::Invisible, {}, cluster.front().begin, cluster.back().end};
  bool emoji = false;
  for (const auto& [c, begin, end] : cluster) {
    if (result.kind == Kind::Invisible) result.kind = kind_of(c);
    emoji = emoji || c == 0xFE0F;
    append_utf8(c, result.text);
  }
  const bool plain = cluster.size() == 1;
  if (emoji || (!plain && (result.kind == Kind::Apostrophe || result.kind == Kind::Point))) {
    result.kind = Kind::Single;
  }
  if (result.kind != Kind::Invisible) out.push_back(std::move(result));
}

std::vector<Cluster> clusters_of(std::span<const Character> text) {
  std::vector<Cluster> clusters;
  utf8proc_int32_t state = 0;
  std::size_t start = 0;
  for (std::size_t i = 1; i <= text.size(); ++i) {
    if (i == text.size() ||
        utf8proc_grapheme_break_stateful(text[i - 1].code_point, text[i].code_point, &state)) {
      append_cluster(text.subspan(start, i - start), clusters);
      start = i;
    }
  }
  return clusters;
}

bool in_word(Kind kind) { return kind == Kind::Letter || kind == Kind::Digit || kind == Kind::Connector; }

/// Whether an apostrophe or a point is part of a word, by its neighbours.
bool joins(Kind before, Kind here, Kind after) {
  if (here == Kind::Apostrophe) return before == Kind::Letter && after == Kind::Letter;
  return here == Kind::Point && before == Kind::Digit && after == Kind::Digit;
}

/// Whether the text between brackets is the name of a special token: capitals, digits and _ in square
/// brackets; in angle brackets a lower-case name, which may be between | or behind /.
bool names_marker(char bracket, std::string_view inside) {
  if (bracket == '[') {
    const auto capital = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    return inside == "pad" ||
           (inside.size() >= 2 && inside.front() >= 'A' && std::ranges::all_of(inside, capital));
  }
  if (inside.starts_with('/')) inside.remove_prefix(1);
  if (inside.size() > 2 && inside.starts_with('|') && inside.ends_with('|'))
    inside = inside.substr(1, inside.size() - 2);
  const auto small = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !inside.empty() && inside.front() >= 'a' && std::ranges::all_of(inside, small);
}

/// The number of clusters from `first` on that form a special token such as [CLS], </s> or <|endoftext|>; 0
/// if there is none.
std::size_t marker_length(const std::vector<Cluster>& clusters, std::size_t first) {
  constexpr std::size_t longest = 24;
  const std::string& bracket = clusters[first].text;
  if (bracket != "[" && bracket != "<") return 0;
  const std::string_view closing = bracket == "[" ? "]" : ">";
  std::string inside;
  for (std::size_t i = first + 1; i < std::min(clusters.size(), first + longest); ++i) {
    if (clusters[i].text == closing) return names_marker(bracket.front(), inside) ? i - first + 1 : 0;
    if (clusters[i].kind == Kind::Separator) return 0;
    inside += clusters[i].text;
  }
  return 0;
}

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  if (const std::optional<std::size_t> at = first_invalid_utf8(text)) {
    throw Error(fmt::format("The text is not valid UTF-8: byte {} (0x{:02x}) does not belong to a character.",
                            *at, static_cast<unsigned char>(text[*at])));
  }
  std::vector<Character> characters;
  characters.reserve(text.size());
  append_nfc(text, characters);
  const std::vector<Cluster> clusters = clusters_of(characters);

  std::vector<Token> tokens;
  const auto add = [&](const Cluster& cluster, bool begins) {
    if (begins) {
      tokens.emplace_back();
      tokens.back().begin = static_cast<std::int64_t>(cluster.begin);
    }
    tokens.back().text += cluster.text;
    tokens.back().end = static_cast<std::int64_t>(cluster.end);
  };
  bool open = false;  // the last token is a word that may continue
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const Kind kind = clusters[i].kind;
    if (kind == Kind::Separator) {
      open = false;
      continue;
    }
    if (const std::size_t length = marker_length(clusters, i); length > 0) {
      for (std::size_t k = 0; k < length; ++k) add(clusters[i + k], k == 0);
      tokens.back().special = true;
      i += length - 1;
      open = false;
      continue;
    }
    const bool joint =
        open && i + 1 < clusters.size() && joins(clusters[i - 1].kind, kind, clusters[i + 1].kind);
    const bool word = in_word(kind) || joint;
    add(clusters[i], !word || !open);
    open = word;
  }
  return tokens;
}

}  // namespace attnscope
