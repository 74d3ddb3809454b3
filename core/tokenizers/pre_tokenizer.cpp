#include "core/tokenizers/pre_tokenizer.hpp"

#include "core/tokenizers/text/byte_alphabet.hpp"

namespace attnscope::tokenizers {
namespace {

/// A part of a word; whether it is a delimiter.
struct Part {
  Range range;
  bool is_delimiter;
};

/// Joins parts as `delimiters` says and adds those that are not empty.
void add_parts(std::vector<Part>& parts, Delimiters delimiters, std::vector<Range>& to) {
  const auto joins = [&](bool is_delimiter, bool was_delimiter) {
    return delimiters == Delimiters::contiguous ? is_delimiter == was_delimiter
                                                : is_delimiter && !was_delimiter;
  };
  bool was_delimiter = false;
  std::vector<Range> joined;
  const auto take = [&](const Part& part, auto extend) {
    if (!joined.empty() && joins(part.is_delimiter, was_delimiter)) {
      extend(joined.back(), part.range);
    } else {
      joined.push_back(part.range);
    }
    was_delimiter = part.is_delimiter;
  };
  switch (delimiters) {
    case Delimiters::removed:
      for (const Part& part : parts)
        if (!part.is_delimiter) joined.push_back(part.range);
      break;
    case Delimiters::isolated:
      for (const Part& part : parts) joined.push_back(part.range);
      break;
    case Delimiters::merged_with_previous:
    case Delimiters::contiguous:
      for (const Part& part : parts) take(part, [](Range& last, Range next) { last.end = next.end; });
      break;
    case Delimiters::merged_with_next:
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        take(*part, [](Range& last, Range next) { last.begin = next.begin; });
      }
      std::reverse(joined.begin(), joined.end());
      break;
  }
  for (const Range& range : joined) {
    if (range.size() > 0) to.push_back(range);
  }
}

/// Cuts every word at the matches of find(word, found).
template <class Find>
void split_words(Words& words, Delimiters delimiters, bool invert, Find find) {
  std::vector<Range> cut_words, found;
  std::vector<Part> parts;
  cut_words.reserve(words.ranges.size());
  for (const Range& word : words.ranges) {
    found.clear();
    parts.clear();
    find(cut(words.text.text(), word), found);
    std::size_t end = 0;
    for (const Range& match : found) {
      if (match.begin > end) parts.push_back({{word.begin + end, word.begin + match.begin}, invert});
      parts.push_back({{word.begin + match.begin, word.begin + match.end}, !invert});
      end = match.end;
    }
    if (end < word.size()) parts.push_back({{word.begin + end, word.end}, invert});
    if (delimiters == Delimiters::isolated) {
      for (const Part& part : parts)
        if (part.range.size() > 0) cut_words.push_back(part.range);
    } else {
      add_parts(parts, delimiters, cut_words);
    }
  }
  words.ranges = std::move(cut_words);
}

/// As above, for single characters that are delimiters.
template <class IsDelimiter>
void split_at(Words& words, Delimiters delimiters, IsDelimiter is_delimiter) {
  split_words(words, delimiters, false, [&](std::string_view word, std::vector<Range>& found) {
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t next = at + character_size(word[at]);
      if (is_delimiter(character_at(word, at))) found.push_back({at, next});
      at = next;
    }
  });
}

/// Rewrites every word; put(rewriter, word) starts at the word's first byte and may stop anywhere in it.
template <class Put>
void rewrite_words(Words& words, Put put) {
  Rewriter rewriter(words.text);
  for (Range& word : words.ranges) {
    rewriter.skip_to(word.begin);
    const std::size_t begin = rewriter.size();
    put(rewriter, word);
    rewriter.keep_to(word.end);
    word = {begin, rewriter.size()};
  }
  words.text = rewriter.finish();
}

/// Writes `text` before the word's first character `first`; both are aligned with that character.
void prepend_to_word(Rewriter& rewriter, char32_t text, char32_t first) {
  rewriter.replace(text);
  rewriter.insert(first);
}

void apply(const ByteLevel& step, Words& words) {
  words.spell_bytes();
  if (step.add_prefix_space) {
    rewrite_words(words, [](Rewriter& rewriter, Range) {
      if (rewriter.next() != U' ') prepend_to_word(rewriter, U' ', rewriter.next());
    });
  }
  if (step.use_expression) {
    static const Pattern expression = Regex(gpt2_expression);
    split_words(words, Delimiters::isolated, false,
                [&](std::string_view word, std::vector<Range>& found) { find_all(expression, word, found); });
  }
  words.bytes = true;
}

void apply(const Split& step, Words& words) {
  words.spell_bytes();
  split_words(words, step.delimiters, step.invert,
              [&](std::string_view word, std::vector<Range>& found) { find_all(step.pattern, word, found); });
}

void apply(const BertWords&, Words& words) {
  words.spell_bytes();
  split_at(words, Delimiters::removed, is_white_space);
  split_at(words, Delimiters::isolated, is_punctuation);
}

void apply(const Whitespace&, Words& words) {
  words.spell_bytes();
  split_words(words, Delimiters::removed, true, [](std::string_view word, std::vector<Range>& found) {
    const auto kind = [&](std::size_t at) {
      const char32_t character = character_at(word, at);
      return is_word_character(character) ? 2 : is_white_space(character) ? 0 : 1;
    };
    for (std::size_t at = 0; at < word.size();) {
      const int first = kind(at);
      const std::size_t begin = at;
      while (at < word.size() && kind(at) == first) at += character_size(word[at]);
      if (first != 0) found.push_back({begin, at});
    }
  });
}

void apply(const WhitespaceSplit&, Words& words) {
  words.spell_bytes();
  split_at(words, Delimiters::removed, is_white_space);
}

void apply(const Metaspace& step, Words& words) {
  words.spell_bytes();
  const char32_t replacement = character_at(step.replacement, 0);
  const AlignedText old = words.text;
  rewrite_words(words, [&](Rewriter& rewriter, Range word) {
    const char32_t first = rewriter.next() == U' ' ? replacement : rewriter.next();
    const bool prepends = step.prepend == Metaspace::Prepend::always ||
                          (step.prepend == Metaspace::Prepend::first && old.source(word).begin == 0);
    if (prepends && first != replacement) prepend_to_word(rewriter, replacement, first);
    while (rewriter.at() < word.end) {
      rewriter.replace(rewriter.next() == U' ' ? replacement : rewriter.next());
    }
  });
  if (step.split) {
    split_at(words, Delimiters::merged_with_next,
             [&](char32_t character) { return character == replacement; });
  }
}

void apply(const Digits& step, Words& words) {
  words.spell_bytes();
  split_at(words, step.individual ? Delimiters::isolated : Delimiters::contiguous, is_number);
}

void apply(const Punctuation& step, Words& words) {
  words.spell_bytes();
  split_at(words, step.delimiters, is_punctuation);
}

}  // namespace

Words::Words(AlignedText all) : text(std::move(all)) {
  if (!text.text().empty()) ranges.push_back({0, text.text().size()});
}

void Words::spell_bytes() {
  if (!bytes) return;
  bytes = false;
  const std::string old = text.text();
  rewrite_words(*this, [&](Rewriter& rewriter, Range word) {
    for (std::size_t at = word.begin; at < word.end; ++at) {
      const char32_t character = character_of_byte(static_cast<unsigned char>(old[at]));
      if (is_continuation(old[at])) {
        rewriter.insert(character);
      } else {
        rewriter.replace(character);
      }
    }
  });
}

void pre_tokenize(const PreTokenizer& pre_tokenizer, Words& words) {
  for (const PreTokenizerStep& step : pre_tokenizer) {
    std::visit([&](const auto& one) { apply(one, words); }, step);
  }
}

}  // namespace attnscope::tokenizers
