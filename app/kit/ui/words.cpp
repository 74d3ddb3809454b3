#include "app/kit/ui/words.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "app/kit/draw/text_shaping.hpp"
#include "app/kit/ui/own_words.hpp"

namespace attnscope {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Names whose numbers are part of the name.
constexpr std::array<std::string_view, 8> versioned{"T5 ",   "GPT-",    "Llama ",  "Gemma ",
                                                    "Qwen ", "OpenGL ", "Python ", "PyTorch "};
/// Prefixes of a head's layer and number, as in "head 1.3".
constexpr std::array<std::string_view, 4> of_heads{"head ", "encoder head ", "decoder head ", "cross head "};

bool is_mark(char c) {
  return c == own_begin || c == own_end || c == inner_begin || c == inner_end || c == number_mark;
}
bool encloses(char c) { return c == own_begin || c == inner_begin || c == '"'; }

/// The byte after the end of the mark or quote that begins at `at`; npos if it has no end.
std::size_t end_of_enclosed(std::string_view text, std::size_t at) {
  if (text[at] == inner_begin) {  // these nest
    int open = 0;
    for (std::size_t i = at; i < text.size(); ++i) {
      open += text[i] == inner_begin ? 1 : text[i] == inner_end ? -1 : 0;
      if (open == 0) return i + 1;
    }
    return std::string_view::npos;
  }
  const char end = text[at] == own_begin ? own_end : '"';
  const std::size_t found = text.find(end, at + 1);
  return found == std::string_view::npos ? found : found + 1;
}

/// The length of a sign that a number may have.
std::size_t sign_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with('-') || rest.starts_with('+')) return 1;
  constexpr std::string_view minus = "\u2212";
  return rest.starts_with(minus) ? minus.size() : 0;
}

std::size_t digits_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

/// The length of a unit that belongs to its number in every language ("6.0 KiB", "3.1 M"); 0 if there is
/// none.
std::size_t unit_at(std::string_view text, std::size_t at) {
  for (const std::string_view unit : {" B", " KiB", " MiB", " GiB", " TiB", " k", " M", " G", " T"}) {
    if (!text.substr(at).starts_with(unit)) continue;
    const std::size_t end = at + unit.size();
    if (end == text.size() || std::string_view(" .,;:)").find(text[end]) != std::string_view::npos)
      return unit.size();
  }
  return 0;
}

/// Written in place of a missing number; languages other than English show a dash.
constexpr std::string_view no_number = "n/a";

bool is_no_number(std::string_view text, std::size_t at) {
  const std::size_t end = at + no_number.size();
  return text.substr(at).starts_with(no_number) && (end == text.size() || !is_letter(text[end]));
}

/// The quotation marks of English texts in the code; both have the same length.
constexpr std::string_view english_quote_begin = "“", english_quote_end = "”";

/// The end of the number that begins at `at`, with its unit; `at` itself if no number begins there. Digits in
/// a name (float64, W_q1) are not numbers.
std::size_t number_end(std::string_view text, std::size_t at) {
  const char before = at > 0 ? text[at - 1] : ' ';
  if (is_letter(before) || is_digit(before) || before == '_') return at;
  if (is_no_number(text, at)) return at + no_number.size();
  const std::size_t start = at + sign_at(text, at);
  std::size_t end = digits_end(text, start);
  if (end == start) {  // ".45"
    if (start == text.size() || text[start] != '.') return at;
    end = digits_end(text, start + 1);
    if (end == start + 1) return at;
  }
  while (end + 1 < text.size() && (text[end] == '.' || text[end] == ',') && is_digit(text[end + 1]))
    end = digits_end(text, end + 1);
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const std::size_t power = end + 1 + sign_at(text, end + 1), last = digits_end(text, power);
    if (last > power) end = last;
  }
  return end + unit_at(text, end);
}

/// The end of the gap between two parts that begins at `at`; `at` itself if no gap begins there.
std::size_t gap_end(std::string_view text, std::size_t at) {
  constexpr std::string_view dot = "\u00b7";
  const auto spaces_end = [&](std::size_t from) {
    return std::min(text.find_first_not_of(' ', from), text.size());
  };
  const std::size_t spaces = spaces_end(at);
  if (spaces == at) return at;
  if (text.substr(spaces).starts_with(dot)) {
    const std::size_t behind = spaces + dot.size(), end = spaces_end(behind);
    if (end > behind) return end;
  }
  const bool sentence = at > 0 && text[at - 1] == '.' && spaces < text.size() && is_capital(text[spaces]);
  return spaces >= at + 2 || at == 0 || spaces == text.size() || sentence ? spaces : at;
}

/// Marks "NaN" and "∞", with a sign, like own words: they can be in the place of a number.
std::string with_marked_infinities(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t sign = sign_at(text, i);
    const std::string_view rest = text.substr(i + sign);
    const std::size_t size = rest.starts_with("NaN") ? 3 : rest.starts_with("\u221e") ? 3 : 0;
    const bool is_word = (i > 0 && is_letter(text[i - 1])) || (rest.size() > size && is_letter(rest[size]));
    if (size == 0 || is_word) {
      out += text[i++];
    } else {
      out += own(text.substr(i, sign + size));
      i += sign + size;
    }
  }
  return out;
}

/// Whether the number at `at` is part of a name: a version, "T5 1.1", "OpenGL 3.3", or a head, "1.3".
bool is_version(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  return std::ranges::any_of(versioned, [&](std::string_view name) { return before.ends_with(name); }) ||
         std::ranges::find(of_heads, before) != of_heads.end();
}

/// Whether the commas divide thousands, as in "32,768" and "1,024.5"; otherwise they divide a list.
bool has_thousands(std::string_view number) {
  number = number.substr(sign_at(number, 0));
  std::size_t at = digits_end(number, 0);
  if (at == 0 || at > 3 || number[0] == '0') return false;
  for (; at < number.size() && number[at] == ','; at += 4)
    if (digits_end(number, at + 1) != at + 4) return false;
  return number.find(',', at) == std::string_view::npos;
}

/// A person's own word, isolated if it changes the order of the text.
std::string isolated_word(std::string_view word) {
  const std::string text = plain(word);
  return changes_order(text) ? std::string(isolate_begin) + text + std::string(isolate_end) : text;
}

}  // namespace

std::string own(std::string_view text) { return own_begin + plain(text) + own_end; }

std::string own_number(std::string_view text) {
  return std::string{own_begin, number_mark} + plain(text) + own_end;
}

std::string inner(std::string_view text) { return inner_begin + std::string(text) + inner_end; }

std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!is_mark(c)) out += c;
  return out;
}

std::string isolated(std::string_view text) {
  if (!changes_order(text)) return plain(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t begin = text.find(own_begin), end = text.find(own_end, begin);
    if (end == std::string_view::npos) break;
    out += plain(text.substr(0, begin));
    out += isolated_word(text.substr(begin + 1, end - begin - 1));
    text.remove_prefix(end + 1);
  }
  return out + plain(text);
}

bool has_words(std::string_view text) {
  return std::adjacent_find(text.begin(), text.end(),
                            [](char a, char b) { return is_letter(a) && is_letter(b); }) != text.end();
}

Key key_of(std::string_view part) {
  Key key;
  for (std::size_t i = 0; i < part.size();) {
    const char c = part[i];
    const std::size_t enclosed = encloses(c) ? end_of_enclosed(part, i) : std::string_view::npos;
    if (enclosed != std::string_view::npos) {
      key.arguments.push_back(c == inner_begin ? part.substr(i, enclosed - i)
                                               : part.substr(i + 1, enclosed - i - 2));
      key.is_number.push_back(false);
      key.text += c == '"' ? "\"{}\"" : "{}";
      i = enclosed;
    } else if (const std::size_t end = number_end(part, i); end > i) {
      key.arguments.push_back(part.substr(i, end - i));
      key.is_number.push_back(!is_version(part, i));
      key.text += "{}";
      i = end;
    } else {
      if (c == '{' || c == '}') key.text += c;
      key.text += c;
      ++i;
    }
  }
  return key;
}

void Words::speak(LanguageTable table) {
  table_ = std::move(table);
  english_ = false;
  kept_.clear();
}

void Words::speak_english() {
  table_ = {};
  english_ = true;
  kept_.clear();
}

void Words::append(std::string& to, std::string_view part) const {
  if (!has_words(part)) return append_arguments(to, part);
  Key key = key_of(part);
  if (!has_words(key.text)) return append_arguments(to, part);
  auto found = table_.phrases.find(key.text);
  // Sentences that speak of NaN and ∞ have them in their keys; everywhere else these are numbers.
  const std::string marked = found == table_.phrases.end() ? with_marked_infinities(part) : std::string();
  if (marked.size() > part.size()) {
    Key other = key_of(marked);
    if (const auto number = table_.phrases.find(other.text); number != table_.phrases.end()) {
      key = std::move(other);
      found = number;
    }
  }
  const bool known = found != table_.phrases.end();
  if (watch) watch(key.text, known);
  if (!known) {
    to += isolated(part);
    return;
  }
  const Phrase& phrase = found->second;
  to += phrase.literals.front();
  for (std::size_t i = 0; i < phrase.arguments.size(); ++i)
    to += said_argument(key.arguments[phrase.arguments[i]], key.is_number[phrase.arguments[i]]) +
          phrase.literals[i + 1];
}

std::string Words::said_argument(std::string_view argument, bool is_number) const {
  if (is_number) return said_number(argument);
  if (!argument.starts_with(inner_begin)) return said_own(argument);
  return translated(argument.substr(1, argument.size() - 2));
}

std::string Words::said_number(std::string_view number) const {
  if (number == no_number) return english_ ? std::string(number) : "–";
  const bool lists = number.find(',') != std::string_view::npos && !has_thousands(number);
  // Two points belong to a version or a date.
  if (table_.decimal == "." || lists || std::ranges::count(number, '.') > 1) return std::string(number);
  std::string said;
  for (const char c : number) {
    if (c == '.')
      said += table_.decimal;
    else if (c == ',')
      said += table_.thousands;
    else
      said += c;
  }
  return said;
}

std::string Words::said_own(std::string_view word) const {
  if (!word.starts_with(number_mark)) return isolated_word(word);
  std::string said;
  append_numbers(said, word.substr(1));
  return isolated_word(said);
}

void Words::append_numbers(std::string& to, std::string_view text) const {
  for (std::size_t i = 0; i < text.size();) {
    const bool is_enclosed = text[i] == own_begin || text[i] == '"';
    const std::size_t enclosed = is_enclosed ? end_of_enclosed(text, i) : std::string_view::npos;
    if (enclosed != std::string_view::npos) {
      to += text[i] == '"' ? isolated(text.substr(i, enclosed - i))
                           : said_own(text.substr(i + 1, enclosed - i - 2));
      i = enclosed;
    } else if (const std::size_t end = number_end(text, i); end > i) {
      to += is_version(text, i) ? std::string(text.substr(i, end - i)) : said_number(text.substr(i, end - i));
      i = end;
    } else {
      if (!is_mark(text[i])) to += text[i];
      ++i;
    }
  }
}

void Words::append_literal(std::string& to, std::string_view text) const {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t enclosed = encloses(text[i]) ? end_of_enclosed(text, i) : std::string_view::npos;
    const std::string_view rest = text.substr(i);
    const bool opens = rest.starts_with(english_quote_begin);
    if (enclosed != std::string_view::npos) {
      i = enclosed;
    } else if (opens || rest.starts_with(english_quote_end)) {
      append_numbers(to, text.substr(begin, i - begin));
      to += opens ? table_.quote_begin : table_.quote_end;
      begin = i += english_quote_begin.size();
    } else {
      ++i;
    }
  }
  append_numbers(to, text.substr(begin));
}

void Words::append_arguments(std::string& to, std::string_view part) const {
  while (!part.empty()) {
    const std::size_t begin = part.find(inner_begin);
    const std::size_t end =
        begin == std::string_view::npos ? std::string_view::npos : end_of_enclosed(part, begin);
    append_literal(to, part.substr(0, end == std::string_view::npos ? end : begin));
    if (end == std::string_view::npos) return;
    to += said_argument(part.substr(begin, end - begin), false);
    part.remove_prefix(end);
  }
}

std::string Words::translated(std::string_view text) const {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (encloses(text[i])) {
      const std::size_t end = end_of_enclosed(text, i);
      i = end == std::string_view::npos ? i + 1 : end;
    } else if (const std::size_t end = gap_end(text, i); end > i) {
      append(out, text.substr(begin, i - begin));
      out += text.substr(i, end - i);
      begin = i = end;
    } else {
      ++i;
    }
  }
  append(out, text.substr(begin));
  return out;
}

std::string_view Words::translated(std::string_view text, std::string& room) const {
  const bool words = has_words(text);
  const bool has_sign = table_.decimal != "." && text.find_first_of(".,") != std::string_view::npos;
  const bool has_others = has_sign || text.find(no_number) != std::string_view::npos ||
                          text.find(english_quote_begin) != std::string_view::npos;
  if (!words && !english_ && has_others) {
    room.clear();
    append_arguments(room, text);
    return room;
  }
  if ((english_ && !watch) || !words) return has_marks(text) ? std::string_view(room = isolated(text)) : text;
  if (const auto known = kept_.find(text); known != kept_.end()) return known->second;
  if (kept_.size() >= most_kept) kept_.clear();
  return kept_.emplace(std::string(text), translated(text)).first->second;
}

}  // namespace attnscope
