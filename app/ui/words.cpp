#include "app/ui/words.hpp"

#include <algorithm>
#include <utility>

#include "app/draw/text_shaping.hpp"
#include "app/ui/own_words.hpp"

namespace attnscope {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The byte behind the mark's or the quote's end; npos where there is none. `at` is its beginning.
std::size_t end_of_enclosed(std::string_view text, std::size_t at) {
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

/// Where the number ends that begins here; `at` itself where none does. Digits of a name (float64, W_q1) are
/// none.
std::size_t number_end(std::string_view text, std::size_t at) {
  const char before = at > 0 ? text[at - 1] : ' ';
  if (is_letter(before) || is_digit(before) || before == '_') return at;
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
  return end;
}

/// Where the gap ends that divides parts and begins here; `at` itself where none does.
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

/// A person's own word where it is to be drawn.
std::string isolated_word(std::string_view word) {
  const std::string text = plain(word);
  return changes_order(text) ? std::string(isolate_begin) + text + std::string(isolate_end) : text;
}

}  // namespace

std::string own(std::string_view text) {
  std::string out(1, own_begin);
  for (const char c : text)
    if (c != own_begin && c != own_end) out += c;
  return out + own_end;
}

std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != own_begin && c != own_end) out += c;
  return out;
}

std::string isolated(std::string_view text) {
  if (!changes_order(text)) return plain(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t begin = text.find(own_begin), end = text.find(own_end, begin);
    if (end == std::string_view::npos) break;
    out += text.substr(0, begin);
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
    const std::size_t enclosed =
        c == own_begin || c == '"' ? end_of_enclosed(part, i) : std::string_view::npos;
    if (enclosed != std::string_view::npos) {
      key.arguments.push_back(part.substr(i + 1, enclosed - i - 2));
      key.text += c == '"' ? "\"{}\"" : "{}";
      i = enclosed;
    } else if (const std::size_t end = number_end(part, i); end > i) {
      key.arguments.push_back(part.substr(i, end - i));
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

void Words::speak(Table table) {
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
  if (!has_words(part)) {
    to += isolated(part);
    return;
  }
  const Key key = key_of(part);
  if (!has_words(key.text)) {
    to += isolated(part);
    return;
  }
  const auto found = table_.phrases.find(key.text);
  const bool known = found != table_.phrases.end();
  if (watch) watch(key.text, known);
  if (!known) {
    to += isolated(part);
    return;
  }
  const Phrase& phrase = found->second;
  to += phrase.literals.front();
  for (std::size_t i = 0; i < phrase.arguments.size(); ++i)
    to += isolated_word(key.arguments[phrase.arguments[i]]) + phrase.literals[i + 1];
}

std::string Words::translated(std::string_view text) const {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == own_begin || text[i] == '"') {
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
  if ((english_ && !watch) || !has_words(text))
    return has_marks(text) ? std::string_view(room = isolated(text)) : text;
  if (const auto known = kept_.find(text); known != kept_.end()) return known->second;
  if (kept_.size() >= most_kept) kept_.clear();
  return kept_.emplace(std::string(text), translated(text)).first->second;
}

}  // namespace attnscope
