// app/pages/model: where two texts differ, word by word, with what stands round it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// Words of one text that stand in the place of words of another; one of the two may be empty.
struct WordDifference {
  std::vector<std::string> before;  // up to three words that both texts have in front of them
  std::string clean, corrupted;
  std::vector<std::string> behind;  // up to three words of the clean text that follow
};

/// Texts with as many words are compared word by word, neighbours that differ count as one difference; of
/// others all between their common beginning and their common end is one difference. Words are divided by
/// white space, which counts as equal.
std::vector<WordDifference> word_differences(std::string_view clean, std::string_view corrupted);

}  // namespace attnscope
