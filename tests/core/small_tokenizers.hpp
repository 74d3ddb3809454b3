// tests: very small tokenizers, built from values as by a reader of another format.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/tokenizers/bpe.hpp"
#include "core/tokenizers/text/byte_alphabet.hpp"
#include "core/tokenizers/tokenizer.hpp"
#include "core/tokenizers/unigram.hpp"
#include "core/tokenizers/word_piece.hpp"

namespace attnscope::small_tokenizers {

using namespace attnscope::tokenizers;

/// Ids in the order of the texts.
inline std::shared_ptr<const Vocabulary> vocabulary(const std::vector<std::string>& texts) {
  std::vector<IdOf> tokens;
  for (const std::string& text : texts) tokens.push_back({text, static_cast<Id>(tokens.size())});
  return std::make_shared<const Vocabulary>(std::move(tokens));
}

/// Merges are "a b".
inline std::vector<std::pair<std::string, std::string>> merges(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> made;
  for (const std::string& text : texts) {
    const std::size_t space = text.find(' ');
    made.emplace_back(text.substr(0, space), text.substr(space + 1));
  }
  return made;
}

inline TokenizerParts bpe(const std::vector<std::string>& texts, const std::vector<std::string>& pairs,
                          BpeSettings settings = {}) {
  TokenizerParts parts;
  settings.merges = merges(pairs);
  parts.model = std::make_unique<Bpe>(vocabulary(texts), settings);
  return parts;
}

/// Every byte and these merges, as GPT-2.
inline TokenizerParts byte_level(const std::vector<std::string>& pairs,
                                 PreTokenizer pre_tokenizer = {ByteLevel{}}) {
  std::vector<std::string> texts;
  for (unsigned byte = 0; byte < 256; ++byte)
    texts.push_back(in_byte_alphabet(std::string(1, static_cast<char>(byte))));
  for (const auto& [left, right] : merges(pairs)) texts.push_back(left + right);
  TokenizerParts parts = bpe(texts, pairs);
  parts.pre_tokenizer = std::move(pre_tokenizer);
  parts.decoder = {DecodeBytes{}};
  return parts;
}

/// The tokens' texts with spaces between.
inline std::string texts_of(const Encoding& encoding) {
  std::string texts;
  for (const EncodedToken& token : encoding.tokens) texts += (texts.empty() ? "" : " ") + token.text;
  return texts;
}
inline std::string texts_of(TokenizerParts parts, const std::string& text) {
  return texts_of(Tokenizer(std::move(parts)).encode(text));
}
/// "0-2 2-5"
inline std::string ranges_of(const Encoding& encoding) {
  std::string texts;
  for (const EncodedToken& token : encoding.tokens) {
    texts += (texts.empty() ? "" : " ") + std::to_string(token.range.begin) + "-" +
             std::to_string(token.range.end);
  }
  return texts;
}

}  // namespace attnscope::small_tokenizers
