#include "core/tokenizers/normalizer.hpp"

#include <algorithm>

namespace attnscope::tokenizers {
namespace {

/// Calls `put` for each character of the text; `put` consumes exactly one.
template <class Put>
void rewrite_each(AlignedText& text, Put put) {
  Rewriter rewriter(text);
  while (!rewriter.at_end()) put(rewriter, rewriter.next());
  text = rewriter.finish();
}

template <class IsDropped>
void drop(AlignedText& text, IsDropped is_dropped) {
  rewrite_each(text, [&](Rewriter& rewriter, char32_t character) {
    if (is_dropped(character)) {
      rewriter.skip();
    } else {
      rewriter.replace(character);
    }
  });
}

bool is_chinese(char32_t c) {
  const auto is_in = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  return is_in(0x4E00, 0x9FFF) || is_in(0x3400, 0x4DBF) || is_in(0x20000, 0x2A6DF) ||
         is_in(0x2A700, 0x2B73F) || is_in(0x2B740, 0x2B81F) || is_in(0x2B920, 0x2CEAF) ||
         is_in(0xF900, 0xFAFF) || is_in(0x2F800, 0x2FA1F);
}

void apply(const UnicodeForm& form, AlignedText& text) { to_form(text, form); }

void apply(const LowerCase&, AlignedText& text) {
  std::u32string lower;
  rewrite_each(text, [&](Rewriter& rewriter, char32_t character) {
    lower.clear();
    append_lower_case(lower, character);
    rewriter.replace(lower[0]);
    for (std::size_t i = 1; i < lower.size(); ++i) rewriter.insert(lower[i]);
  });
}

void apply(const Prepend& step, AlignedText& text) {
  if (text.text().empty() || step.text.empty()) return;
  Rewriter rewriter(text);
  const char32_t first = rewriter.next();
  const std::size_t size = character_size(step.text[0]);
  rewriter.replace(character_at(step.text, 0));
  rewriter.insert(std::string_view(step.text).substr(size));
  rewriter.insert(first);
  rewriter.keep_to(text.text().size());
  text = rewriter.finish();
}

void apply(const Replace& step, AlignedText& text) {
  std::vector<Range> found;
  find_all(step.pattern, text.text(), found);
  if (found.empty()) return;
  Rewriter rewriter(text);
  for (const Range& match : found) {
    rewriter.keep_to(match.begin);
    rewriter.skip_to(match.end);
    rewriter.insert(step.by);
  }
  rewriter.keep_to(text.text().size());
  text = rewriter.finish();
}

void apply(const StripSpace& step, AlignedText& text) {
  const std::string& old = text.text();
  std::size_t begin = 0, end = old.size();
  while (step.left && begin < end && is_white_space(character_at(old, begin)))
    begin += character_size(old[begin]);
  while (step.right && begin < end) {
    std::size_t last = end - 1;
    while (is_continuation(old[last])) --last;
    if (!is_white_space(character_at(old, last))) break;
    end = last;
  }
  if (begin > 0 || end < old.size()) text = text.slice({begin, end});
}

void apply(const StripAccents&, AlignedText& text) { drop(text, is_mark); }

void apply(const BertNormalizer& step, AlignedText& text) {
  if (step.clean_text) {
    rewrite_each(text, [](Rewriter& rewriter, char32_t character) {
      const bool is_line = character == '\t' || character == '\n' || character == '\r';
      if (character == 0 || character == 0xFFFD || (is_other(character) && !is_line)) {
        rewriter.skip();
      } else {
        rewriter.replace(is_white_space(character) ? U' ' : character);
      }
    });
  }
  if (step.space_around_chinese) {
    rewrite_each(text, [](Rewriter& rewriter, char32_t character) {
      const bool chinese = is_chinese(character);
      if (chinese) rewriter.insert(U' ');
      rewriter.replace(character);
      if (chinese) rewriter.insert(U' ');
    });
  }
  if (step.strip_accents.value_or(step.lowercase)) {
    to_form(text, UnicodeForm::nfd);
    drop(text, is_nonspacing_mark);
  }
  if (step.lowercase) apply(LowerCase{}, text);
}

void apply(const PrecompiledMap& map, AlignedText& text) { map.apply(text); }

}  // namespace

void normalize(const Normalizer& normalizer, AlignedText& text) {
  for (const NormalizerStep& step : normalizer) {
    std::visit([&](const auto& one) { apply(one, text); }, step);
  }
}

}  // namespace attnscope::tokenizers
