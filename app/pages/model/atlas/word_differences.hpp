// app/pages/model: the differences of two texts, word by word, with the words around them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// Words of one text that replace words of another; one of the two may be empty.
struct WordDifference {
  std::vector<std::string> before;  // up to three words that both texts have in front of them
  std::string clean, corrupted;
  std::vector<std::string> behind;  // up to three words of the clean text that follow
};

/// Texts with equally many words are compared word by word; adjacent differing words are one difference. In
/// other texts everything between the common beginning and the common end is one difference. Words are
/// divided by white space, which counts as equal.
std::vector<WordDifference> word_differences(std::string_view clean, std::string_view corrupted);

}  // namespace attnscope
