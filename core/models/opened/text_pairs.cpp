#include "core/models/opened/text_pairs.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/models/opened/first_text.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {
namespace {

using tokenizers::EncodeOptions;
using tokenizers::Encoding;

constexpr int most_tries = 48;  // each try tokenises the whole text

/// The token ids of the text; empty if the model cannot read it.
std::vector<std::int64_t> ids_of(const OpenedModel& opened, const ModelText& text) {
  try {
    return tokens_of(opened, text).input.ids;
  } catch (const Error&) {
    return {};
  }
}

bool is_pair(const OpenedModel& opened, const std::vector<std::int64_t>& clean, ModelText text,
             const std::string& corrupted) {
  text.text = corrupted;
  const std::vector<std::int64_t> other = ids_of(opened, text);
  return !clean.empty() && clean.size() == other.size() && clean != other;
}

/// A word of a text without punctuation: bytes [begin, end).
struct TextWord {
  std::size_t begin = 0, end = 0;
  std::string text;
  bool is_capital() const { return std::isupper(static_cast<unsigned char>(text[0])) != 0; }
};

bool is_of_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '\'';
}

std::vector<TextWord> text_words(std::string_view text) {
  std::vector<TextWord> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_of_word(text[end])) ++end;
    // "[MASK]" and "<mask>" are not words.
    const bool is_mark = at > 0 && (text[at - 1] == '[' || text[at - 1] == '<');
    if (end > at && !is_mark) words.push_back({at, end, std::string(text.substr(at, end - at))});
    at = std::max(end, at + 1);
  }
  return words;
}

/// Indices of words in the order in which they are tried.
std::vector<std::size_t> order_of(const std::vector<TextWord>& words) {
  const auto count = [&](const TextWord& word) {
    return std::ranges::count(words, word.text, &TextWord::text);
  };
  std::vector<std::size_t> order;
  for (std::size_t i = words.size(); i-- > 0;)
    if (count(words[i]) > 1 && words[i].is_capital()) order.push_back(i);
  for (std::size_t i = words.size(); i-- > 0;)
    if (count(words[i]) == 1 && words[i].is_capital()) order.push_back(i);
  for (std::size_t i = words.size(); i-- > 0;)
    if (!words[i].is_capital()) order.push_back(i);
  return order;
}

/// Words that may replace the word: first those inside sentences, then those that begin one, whose capital
/// has no meaning.
std::vector<std::string> others_for(const std::vector<TextWord>& words, std::size_t at,
                                    std::string_view text) {
  std::vector<std::string> others;
  const auto begins_sentence = [&](const TextWord& word) {
    const std::size_t before = word.begin == 0 ? text.npos : text.find_last_not_of(' ', word.begin - 1);
    return before == text.npos || text[before] == '.' || text[before] == '!' || text[before] == '?';
  };
  for (const bool first : {false, true})
    for (const TextWord& word : words)
      if (begins_sentence(word) == first && word.is_capital() == words[at].is_capital() &&
          word.text != words[at].text && std::ranges::count(others, word.text) == 0)
        others.push_back(word.text);
  return others;
}

std::vector<TextPair> usual_pairs(const OpenedModel& opened) {
  const ModelSpec& spec = opened.model->spec;
  if (spec.reads_two_texts())
    return {{"translate English to German: The house is wonderful.",
             "translate English to German: The dog is wonderful.", "", ""}};
  switch (spec.head.kind) {
    case HeadKind::NextToken:
      return {{"When Mary and John went to the store, John gave a drink to",
               "When Mary and John went to the store, Mary gave a drink to", "Mary", "John"}};
    case HeadKind::MaskedToken: {
      const std::string* const mask = mask_name(opened);
      if (mask == nullptr) return {};
      return {{fmt::format("The capital of France is {}.", *mask),
               fmt::format("The capital of Italy is {}.", *mask), "Paris", "Rome"}};
    }
    default: return {{"The film was wonderful.", "The film was terrible.", "", ""}};
  }
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

}  // namespace

std::optional<TextPair> first_pair(const OpenedModel& opened) {
  if (!opened.tokenizer) return std::nullopt;
  ModelText text = first_text(opened);
  for (TextPair& pair : usual_pairs(opened)) {
    text.text = pair.clean;
    if (!is_pair(opened, ids_of(opened, text), text, pair.corrupted)) continue;
    const bool are_tokens = answer_token(opened, pair.answer).id && answer_token(opened, pair.other).id;
    if (!are_tokens) pair.answer = pair.other = "";
    return pair;
  }
  text = first_text(opened);
  const std::string corrupted = corrupted_like(opened, text);
  if (corrupted.empty()) return std::nullopt;
  return TextPair{text.text, corrupted, "", ""};
}

std::string corrupted_like(const OpenedModel& opened, const ModelText& clean) {
  if (!opened.tokenizer) return {};
  const std::vector<std::int64_t> ids = ids_of(opened, clean);
  const std::vector<TextWord> words = text_words(clean.text);
  int tries = 0;
  for (const std::size_t at : order_of(words)) {
    for (const std::string& other : others_for(words, at, clean.text)) {
      if (++tries > most_tries) return {};
      std::string text = clean.text;
      text.replace(words[at].begin, words[at].end - words[at].begin, other);
      if (is_pair(opened, ids, clean, text)) return text;
    }
  }
  return {};
}

AnswerToken answer_token(const OpenedModel& opened, std::string_view words) {
  const std::vector<std::string>& classes = opened.model->spec.head.classes;
  if (!classes.empty()) {
    for (std::size_t i = 0; i < classes.size(); ++i)
      if (lower(classes[i]) == lower(words)) return {static_cast<std::int64_t>(i), {}};
    return {std::nullopt, fmt::format("There is no class \"{}\".", words)};
  }
  if (!opened.tokenizer || words.empty()) return {std::nullopt, "An answer is a word."};
  const tokenizers::Tokenizer& tokenizer = *opened.tokenizer;
  Encoding last;
  try {
    for (const bool space : {true, false}) {
      if (space && words[0] == ' ') continue;
      last = tokenizer.encode((space ? " " : "") + std::string(words), {.add_special_tokens = false});
      const bool is_one = last.tokens.size() == 1 && last.untold.empty();
      if (is_one && last.tokens[0].id != tokenizer.special_ids().unk) return {last.tokens[0].id, {}};
    }
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
  if (last.tokens.size() < 2) return {std::nullopt, fmt::format("The model has no token for \"{}\".", words)};
  std::string parts;
  for (const tokenizers::EncodedToken& token : last.tokens)
    parts += (parts.empty() ? "" : " ") + token_label(opened, token.id);
  return {std::nullopt, fmt::format("\"{}\" is {} tokens (\"{}\"), and an answer is one.", words,
                                    last.tokens.size(), parts)};
}

}  // namespace attnscope
