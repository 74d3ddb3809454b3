#include "core/tokenizers/chat/jinja_sandbox.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope::tokenizers {
namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789",
                           blanks = " \t\n\r\f\v";

/// A word in a tag.
struct Word {
  std::string_view text;
  std::string_view rest;  // the part of the tag behind the word
  std::size_t begin = 0, end = 0;
  char before = ' ', after = ' ';  // the nearest non-space characters; ' ' if there is none
};

std::vector<Word> words_of(std::string_view tag) {
  std::vector<Word> words;
  for (std::size_t end = 0, begin; (begin = tag.find_first_of(letters, end)) != tag.npos;) {
    end = std::min(tag.find_first_not_of(letters, begin), tag.size());
    const std::size_t before = begin == 0 ? tag.npos : tag.find_last_not_of(blanks, begin - 1),
                      after = tag.find_first_not_of(blanks, end);
    words.push_back({.text = tag.substr(begin, end - begin),
                     .rest = tag.substr(end),
                     .begin = begin,
                     .end = end,
                     .before = before == tag.npos ? ' ' : tag[before],
                     .after = after == tag.npos ? ' ' : tag[after]});
  }
  return words;
}

/// set NAME = namespace(…)
bool makes_namespace(std::string_view tag, const std::vector<Word>& words) {
  if (words.size() < 3 || words[0].text != "set" || words[2].text != "namespace") return false;
  const std::string_view between = tag.substr(words[1].end, words[2].begin - words[1].end);
  return std::ranges::count(between, '=') == 1 && between.find_first_not_of(" \t\n\r\f\v=") == between.npos;
}

void check_tag(const std::vector<Word>& words, bool makes, const std::set<std::string_view>& namespaces) {
  constexpr std::array<std::string_view, 3> changing{"append", "insert", "pop"};
  if (words.size() > 1 && words[0].text == "set" && words[1].after == '.' &&
      !namespaces.contains(words[1].text))
    throw Error(fmt::format("It sets a field of {}, which is no namespace().", words[1].text));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    if (word.before == '.') {
      if (word.text == "split" && !word.rest.starts_with("(\"s\""))
        throw Error("It splits at something else than a text that is written there.");
      if (std::ranges::find(changing, word.text) != changing.end() && word.after == '(')
        throw Error(fmt::format("It changes a value with {}(), which transformers refuses, too.", word.text));
    } else if (word.text == "namespace" && !(makes && i == 2)) {
      throw Error("It uses namespace() in another way than {% set NAME = namespace(…) %}.");
    } else if (namespaces.contains(word.text) && word.after != '.' && !(makes && i == 1)) {
      throw Error(fmt::format("It uses {}, a namespace(), as a value of its own.", word.text));
    }
  }
}

/// Whether `rest` begins with a whole number from 1 to 999999 that is not part of a longer token.
bool is_small_number(std::string_view rest) {
  constexpr std::size_t most_digits = 6;
  rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits == 0 || digits > most_digits || rest.substr(0, digits).find_first_not_of('0') == rest.npos)
    return false;
  return digits == rest.size() || (rest[digits] != '.' && letters.find(rest[digits]) == letters.npos);
}

/// Throws Error unless the right operand is a literal number: so nothing divides by 0 or repeats a text
/// without limit.
void check_operators(std::string_view tag) {
  for (std::size_t i = 0; i < tag.size(); ++i) {
    if (tag[i] != '%' && tag[i] != '/' && tag[i] != '*') continue;
    const bool is_twice = tag[i] != '%' && i + 1 < tag.size() && tag[i + 1] == tag[i];
    const std::string_view sign = tag.substr(i, is_twice ? 2 : 1);
    if (is_twice) ++i;
    if (sign == "/" || sign == "**")
      throw Error(fmt::format("It computes with {}, which is not supported.", sign));
    if (!is_small_number(tag.substr(i + 1)))
      throw Error(fmt::format("It has something else behind {} than a whole number from 1 to 999999.", sign));
  }
}

/// Throws Error for slices with a step, except [::-1].
void check_slices(std::string_view tag) {
  std::vector<std::pair<std::size_t, int>> open;  // position of an open bracket, and the colons in it
  for (std::size_t i = 0; i < tag.size(); ++i) {
    if (std::string_view("([{").find(tag[i]) != std::string_view::npos) open.emplace_back(i, 0);
    if (std::string_view(")]}").find(tag[i]) != std::string_view::npos && !open.empty()) open.pop_back();
    if (tag[i] != ':' || open.empty() || tag[open.back().first] != '[' || ++open.back().second < 2) continue;
    if (!tag.substr(open.back().first).starts_with("[::-1]"))
      throw Error("It cuts with steps in another way than [::-1], which is not supported.");
  }
}

}  // namespace

void check_sandbox(const std::vector<std::string>& tags) {
  std::vector<std::vector<Word>> words;
  std::set<std::string_view> namespaces;
  for (const std::string& tag : tags) {
    words.push_back(words_of(tag));
    if (makes_namespace(tag, words.back())) namespaces.insert(words.back()[1].text);
  }
  for (std::size_t i = 0; i < tags.size(); ++i)
    check_tag(words[i], makes_namespace(tags[i], words[i]), namespaces);
  for (const std::string& tag : tags) {
    check_operators(tag);
    check_slices(tag);
  }
}

}  // namespace attnscope::tokenizers
