#include "app/pages/model/atlas/word_differences.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attnscope {
namespace {

using TextWords = std::vector<std::string>;

TextWords words_of_text(std::string_view text) {
  constexpr std::string_view white = " \n\t\r";
  TextWords words;
  for (std::size_t at = text.find_first_not_of(white); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(white, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(white, end);
  }
  return words;
}

/// Words [first, last) of a text.
struct WordRange {
  std::size_t first = 0, last = 0;
};

auto at_word(const TextWords& words, std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); }

std::string joined(const TextWords& words, WordRange range) {
  return fmt::to_string(fmt::join(at_word(words, range.first), at_word(words, range.last), " "));
}

WordDifference word_difference(const TextWords& clean, WordRange in_clean, const TextWords& corrupted,
                               WordRange in_corrupted) {
  constexpr std::size_t most = 3;
  const std::size_t begin = in_clean.first - std::min(most, in_clean.first);
  const std::size_t end = std::min(clean.size(), in_clean.last + most);
  return {TextWords(at_word(clean, begin), at_word(clean, in_clean.first)), joined(clean, in_clean),
          joined(corrupted, in_corrupted), TextWords(at_word(clean, in_clean.last), at_word(clean, end))};
}

}  // namespace

std::vector<WordDifference> word_differences(std::string_view clean, std::string_view corrupted) {
  const TextWords a = words_of_text(clean), b = words_of_text(corrupted);
  std::vector<WordDifference> all;
  if (a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] == b[i]) continue;
      const std::size_t first = i;
      while (i < a.size() && a[i] != b[i]) ++i;
      all.push_back(word_difference(a, {first, i}, b, {first, i}));
    }
    return all;
  }
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t begin = 0, end = 0;
  while (begin < shorter && a[begin] == b[begin]) ++begin;
  while (end < shorter - begin && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  all.push_back(word_difference(a, {begin, a.size() - end}, b, {begin, b.size() - end}));
  return all;
}

}  // namespace attnscope
