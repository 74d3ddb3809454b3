#include "core/models/opened/first_text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {
namespace {

using tokenizers::EncodedToken;
using tokenizers::Tokenizer;

/// "Paris is the [MASK] of France." with its mask, and the word that was there if it is one token.
ModelText first_masked(const Tokenizer& tokenizer, const std::string& mask) {
  constexpr std::string_view before = "Paris is the ", word = "capital", after = " of France.";
  ModelText text;
  text.text = fmt::format("{}{}{}", before, mask, after);
  std::vector<std::int64_t> tokens;
  for (const EncodedToken& token : tokenizer.encode(fmt::format("{}{}{}", before, word, after)).tokens)
    if (token.sequence == 0 && token.range.begin < before.size() + word.size() &&
        token.range.end > before.size())
      tokens.push_back(token.id);
  if (tokens.size() == 1 && tokens[0] != tokenizer.special_ids().unk)
    text.masked.push_back({static_cast<std::int64_t>(before.size()), std::string(word), std::move(tokens)});
  return text;
}

bool knows_every_word(const Tokenizer& tokenizer, const std::string& text) {
  const tokenizers::Id unknown = tokenizer.special_ids().unk;
  return std::ranges::none_of(tokenizer.encode(text).tokens, [&](const EncodedToken& token) {
    return token.sequence == 0 && token.id == unknown;
  });
}

/// Some words of the vocabulary, twice: a text for a model whose tokens have no meaning.
std::string own_words_twice(const OpenedModel& opened) {
  constexpr int most = 8, apart = 7;
  std::vector<std::string> words;
  for (tokenizers::Id id = 1; std::ssize(words) < most && opened.tokenizer->token(id) != nullptr; ++id) {
    // Not adjacent ones, which might look like counting.
    const std::string* const far = opened.tokenizer->token(id * apart);
    const std::string* const word = far != nullptr ? far : opened.tokenizer->token(id);
    if (std::ranges::find(words, *word) == words.end()) words.push_back(*word);
  }
  std::string text;
  for (int round = 0; round < 2; ++round)
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

ModelText with_text(std::string words) {
  ModelText text;
  text.text = std::move(words);
  return text;
}

/// The text, or a sentence that a model with few words knows.
ModelText in_known_words(const OpenedModel& opened, ModelText text) {
  const Tokenizer& tokenizer = *opened.tokenizer;
  if (tokenizer.special_ids().unk == tokenizers::no_id || knows_every_word(tokenizer, text.text)) return text;
  for (const char* sentence :
       {"the animal did not cross the street because it was too tired .", "the cat sat on the mat ."})
    if (knows_every_word(tokenizer, sentence)) return with_text(sentence);
  std::string own = own_words_twice(opened);
  return knows_every_word(tokenizer, own) ? with_text(std::move(own)) : text;
}

ModelText usual_text(const OpenedModel& opened) {
  const ModelSpec& spec = opened.model->spec;
  ModelText text;
  const tokenizers::Id mask = opened.tokenizer->special_ids().mask;
  const std::string* const mask_name = opened.tokenizer->token(mask);
  if (spec.reads_two_texts())
    text.text = "translate English to German: The house is wonderful.";
  else if (spec.head.kind == HeadKind::NextToken)
    text.text = "When Mary and John went to the store, John gave a drink to";
  else if (spec.head.kind == HeadKind::MaskedToken && mask_name != nullptr)
    return first_masked(*opened.tokenizer, *mask_name);
  else
    text.text = "The animal did not cross the street because it was too tired.";
  return text;
}

}  // namespace

ModelText first_text(const OpenedModel& opened) {
  if (opened.model->spec.image) return {};
  if (opened.reads_numbers) return with_text(own_words_twice(opened));
  if (opened.model->spec.reads_two_texts()) return usual_text(opened);
  return in_known_words(opened, usual_text(opened));
}

}  // namespace attnscope
