#include "core/tokenizers/post_processor.hpp"

#include <algorithm>

namespace attnscope::tokenizers {
namespace {

/// Counts spaces of the byte alphabet and white space (which an added token may include) at one end of a
/// token.
template <class Iterator>
std::size_t count_spaces(Iterator begin, Iterator end) {
  return static_cast<std::size_t>(
      std::find_if(begin, end, [](char32_t c) { return c != U'\u0120' && !is_white_space(c); }) - begin);
}

std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  for (std::size_t at = 0; at < text.size(); at += character_size(text[at]))
    characters += character_at(text, at);
  return characters;
}

}  // namespace

PostProcessor bert_format(Id cls, Id sep) {
  PostProcessor made;
  made.single = {{.ids = {cls}}, {.sequence = 0}, {.ids = {sep}}};
  made.pair = {{.ids = {cls}},
               {.sequence = 0},
               {.ids = {sep}},
               {.sequence = 1, .type_id = 1},
               {.type_id = 1, .ids = {sep}}};
  return made;
}

PostProcessor roberta_format(Id cls, Id sep, std::optional<PostProcessor::Trim> trim) {
  PostProcessor made;
  made.trim = trim;
  made.single = {{.ids = {cls}}, {.sequence = 0}, {.ids = {sep}}};
  made.pair = {{.ids = {cls}}, {.sequence = 0}, {.ids = {sep, sep}}, {.sequence = 1}, {.ids = {sep}}};
  return made;
}

void trim_ranges(PostProcessor::Trim trim, const AddedTokens& added, std::string_view text,
                 std::vector<EncodedToken>& tokens) {
  bool is_first = true;
  for (EncodedToken& token : tokens) {
    Range& range = token.range;
    const std::string_view shown = cut(text, range);
    // The name of an added token lacks the white space that it includes.
    const bool is_added = added.by_id(token.id) != nullptr;
    const std::u32string spelled = characters_of(is_added ? shown : std::string_view(token.text));
    std::size_t left = count_spaces(spelled.begin(), spelled.end());
    const bool only_spaces = left == spelled.size();
    std::size_t right = count_spaces(spelled.rbegin(), spelled.rend());
    if ((is_first || range.begin == 0) && trim.has_prefix_space && left == 1) left = 0;
    is_first = false;
    // Trims only white space of the text itself, not a space that was added before a word.
    for (; left > 0 && range.begin < range.end && is_white_space(character_at(text, range.begin)); --left) {
      range.begin += character_size(text[range.begin]);
    }
    for (; right > 0 && range.end > range.begin; --right) {
      std::size_t last = range.end - 1;
      while (is_continuation(text[last])) --last;
      if (!is_white_space(character_at(text, last))) break;
      range.end = last;
    }
    // A token of spaces only gets an empty range: the added space before the first word is not in the text.
    if (only_spaces) range.end = range.begin;
  }
}

}  // namespace attnscope::tokenizers
