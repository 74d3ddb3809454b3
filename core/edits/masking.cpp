#include "core/edits/masking.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/edits/model.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {
namespace {

const std::string& mask_of(const OpenedModel& opened) { return *mask_name(opened); }

/// Whether the masks of the word are at its place in the text.
bool stands_in(const MaskedWord& word, std::string_view text, std::string_view mask) {
  if (word.at < 0 || word.tokens.empty()) return false;
  for (std::size_t i = 0, at = static_cast<std::size_t>(word.at); i < word.tokens.size();
       ++i, at += mask.size())
    if (at > text.size() || text.substr(at, mask.size()) != mask) return false;
  return true;
}

/// The index of the token among the masks of a word; nullopt if it is none of them.
std::optional<std::size_t> place_in(const MaskedWord& word, const Token& token, std::size_t mask) {
  const auto length = static_cast<std::int64_t>(mask);
  const std::int64_t from_begin =
      token.end - length - word.at;  // a mask's range may begin with the space before it
  if (from_begin < 0 || from_begin % length != 0) return std::nullopt;
  const auto place = static_cast<std::size_t>(from_begin / length);
  return place < word.tokens.size() ? std::optional(place) : std::nullopt;
}

struct FoundMask {
  std::size_t word = 0, place = 0;
};
std::optional<FoundMask> find_mask(const ModelContext& within, const ModelTokens& tokens, std::int64_t row) {
  if (!within || !fills_masks(*within.model) || row < 0 || row >= std::ssize(tokens.tokens.tokens))
    return std::nullopt;
  const Token& token = tokens.tokens.tokens[static_cast<std::size_t>(row)];
  if (token.id != mask_token(*within.model) || token.begin < 0) return std::nullopt;
  const std::string& mask = mask_of(*within.model);
  for (std::size_t i = 0; i < within.input.masked.size(); ++i) {
    const MaskedWord& word = within.input.masked[i];
    const std::optional<std::size_t> place = place_in(word, token, mask.size());
    if (place && stands_in(word, within.input.text, mask)) return FoundMask{i, *place};
  }
  return std::nullopt;
}

/// The range of the word of the text that the token belongs to, without white space at its ends.
tokenizers::Range word_of(const OpenedModel& opened, const std::string& text, const Token& token) {
  const auto begin = static_cast<std::size_t>(token.begin), end = static_cast<std::size_t>(token.end);
  tokenizers::Range found{begin, end};
  for (const tokenizers::Tokenizer::Word& word : opened.tokenizer->words(text))
    if (word.range.begin < end && word.range.end > begin) {
      found = {std::min(found.begin, word.range.begin), std::max(found.end, word.range.end)};
      break;
    }
  while (found.begin < found.end && text[found.begin] == ' ') ++found.begin;
  return found;
}

}  // namespace

bool fills_masks(const OpenedModel& opened) {
  return opened.model->spec.head.kind == HeadKind::MaskedToken && mask_name(opened) != nullptr;
}

std::optional<MaskedWord> masked_word(const ModelContext& within, const ModelTokens& tokens,
                                      std::int64_t row) {
  const std::optional<FoundMask> found = find_mask(within, tokens, row);
  return found ? std::optional(within.input.masked[found->word]) : std::nullopt;
}

std::optional<std::int64_t> masked_token(const ModelContext& within, const ModelTokens& tokens,
                                         std::int64_t row) {
  const std::optional<FoundMask> found = find_mask(within, tokens, row);
  return found ? std::optional(within.input.masked[found->word].tokens[found->place]) : std::nullopt;
}

std::optional<std::string> maskable_word(const ModelContext& within, const ModelTokens& tokens,
                                         std::int64_t row) {
  if (!within || !fills_masks(*within.model) || row < 0 || row >= std::ssize(tokens.tokens.tokens))
    return std::nullopt;
  const Token& token = tokens.tokens.tokens[static_cast<std::size_t>(row)];
  if (token.begin < 0 || token.special || token.end > std::ssize(tokens.tokens.text)) return std::nullopt;
  const tokenizers::Range range = word_of(*within.model, tokens.tokens.text, token);
  return tokens.tokens.text.substr(range.begin, range.end - range.begin);
}

std::vector<MaskedWord> masked_words_kept(const ModelContext& before, std::string_view text) {
  std::vector<MaskedWord> kept;
  if (!before || !fills_masks(*before.model)) return kept;
  const std::string_view old = before.input.text;
  const std::size_t shorter = std::min(old.size(), text.size());
  std::size_t head = 0, tail = 0;  // lengths of the common beginning and end, in bytes
  while (head < shorter && old[head] == text[head]) ++head;
  while (tail < shorter - head && old[old.size() - 1 - tail] == text[text.size() - 1 - tail]) ++tail;
  const std::size_t mask = mask_of(*before.model).size();
  for (MaskedWord word : before.input.masked) {
    const auto begin = static_cast<std::size_t>(word.at), end = begin + mask * word.tokens.size();
    if (begin >= old.size() - tail)
      word.at += std::ssize(text) - std::ssize(old);
    else if (end > head)
      continue;
    kept.push_back(std::move(word));
  }
  return kept;
}

namespace edit {

ModelContext toggled_mask(ModelContext within, std::int64_t row) {
  if (!within || !fills_masks(*within.model))
    throw Error("This model fills no masks: only encoders with a head for masked words do.");
  const OpenedModel& opened = *within.model;
  const ModelTokens tokens = tokens_of(opened, within.input);
  if (row < 0 || row >= std::ssize(tokens.tokens.tokens))
    throw Error(fmt::format("There is no token {}; the text has {}.", row, tokens.tokens.tokens.size()));
  const Token& token = tokens.tokens.tokens[static_cast<std::size_t>(row)];
  const std::string& mask = mask_of(opened);
  std::string changed = within.input.text;
  if (const std::optional<FoundMask> found = find_mask(within, tokens, row)) {
    const MaskedWord word = within.input.masked[found->word];
    changed.replace(static_cast<std::size_t>(word.at), mask.size() * word.tokens.size(), word.word);
    return text(std::move(within), std::move(changed));
  }
  if (token.id == mask_token(opened))
    throw Error(fmt::format("This {} was typed: which word was there is not known.", mask));
  if (token.begin < 0 || token.special)
    throw Error(fmt::format("{} is no word of the text: only those can be masked.", in_quotes(token.text)));
  const tokenizers::Range range = word_of(opened, changed, token);
  MaskedWord word{
      static_cast<std::int64_t>(range.begin), changed.substr(range.begin, range.end - range.begin), {}};
  std::string masks;
  for (const Token& part : tokens.tokens.tokens)
    if (part.begin < static_cast<std::int64_t>(range.end) && part.end > word.at) {
      word.tokens.push_back(part.id);
      masks += mask;
    }
  changed.replace(range.begin, range.end - range.begin, masks);
  within = text(std::move(within), std::move(changed));
  std::vector<MaskedWord>& all = within.input.masked;
  all.insert(std::ranges::upper_bound(all, word.at, {}, &MaskedWord::at), std::move(word));
  return within;
}

}  // namespace edit
}  // namespace attnscope
