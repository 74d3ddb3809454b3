#include "core/tokenizers/read/gguf_tokenizer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/bpe.hpp"
#include "core/tokenizers/named_pre_tokenizers.hpp"
#include "core/tokenizers/sentence_piece.hpp"
#include "core/tokenizers/word_piece.hpp"

namespace attnscope::tokenizers {
namespace {

// Values of tokenizer.ggml.token_type.
constexpr std::int64_t control_token = 3, user_defined_token = 4;

/// "bert": a token that begins a word has "▁" in front, and one that continues it has nothing where vocab.txt
/// has "##".
std::string as_word_piece(std::string_view text, bool special) {
  constexpr std::string_view begin = "\u2581";
  if (special) return std::string(text);
  return text.starts_with(begin) ? std::string(text.substr(begin.size())) : "##" + std::string(text);
}

class GgufVocabulary {
 public:
  explicit GgufVocabulary(const GgufFile& file) : file_(file), metadata_(file.metadata()) {
    const std::string_view key = "tokenizer.ggml.tokens";
    const std::vector<std::string_view> texts = metadata_.need(metadata_.strings(key), key);
    std::vector<IdOf> tokens;
    for (const std::string_view text : texts) {
      if (first_invalid_utf8(text))
        fail(key, fmt::format("has a token, {}, that is not valid UTF-8.", tokens.size()));
      tokens.push_back({std::string(text), static_cast<Id>(tokens.size())});
    }
    types_ = metadata_.integers("tokenizer.ggml.token_type").value_or(std::vector<std::int64_t>());
    if (!types_.empty() && types_.size() != tokens.size())
      fail("tokenizer.ggml.token_type", fmt::format("has {} numbers; one for each of {} tokens was expected.",
                                                    types_.size(), tokens.size()));
    if (metadata_.string("tokenizer.ggml.model") == "bert")
      for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i].token = as_word_piece(tokens[i].token, i < types_.size() && types_[i] == control_token);
    vocabulary_ = std::make_shared<const Vocabulary>(std::move(tokens));
  }

  [[noreturn]] void fail(std::string_view key, const std::string& problem) const {
    throw Error(fmt::format("{}: {} {}", in_quotes(file_.path().native()), key, problem));
  }
  const std::shared_ptr<const Vocabulary>& vocabulary() const { return vocabulary_; }

  std::vector<AddedToken> added() const {
    std::vector<AddedToken> added;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const std::string& text = vocabulary_->tokens()[i].token;
      if (text.empty() || (types_[i] != control_token && types_[i] != user_defined_token)) continue;
      added.push_back({.text = text, .id = static_cast<Id>(i), .special = types_[i] == control_token});
    }
    return added;
  }

  BpeSettings bpe() const {
    const std::string_view key = "tokenizer.ggml.merges";
    BpeSettings settings;
    for (const std::string_view merge : metadata_.need(metadata_.strings(key), key)) {
      // The first part may begin with a space; no part is empty.
      const std::size_t space = merge.find(' ', 1);
      if (space == merge.npos || space + 1 == merge.size())
        fail(key, fmt::format("has {}; two parts with a space between were expected.", in_quotes(merge, 40)));
      settings.merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
    }
    return settings;
  }

  /// no_id if the key is missing or -1, which some writers store as the uint32 4294967295.
  Id special(std::string_view name) const {
    const std::string key = fmt::format("tokenizer.ggml.{}_token_id", name);
    const auto id = metadata_.integer(key);
    if (!id || *id == -1 || *id == std::numeric_limits<std::uint32_t>::max()) return no_id;
    if (*id < 0 || *id >= vocabulary_->limit())
      fail(key,
           fmt::format("is {}; the number of one of {} tokens was expected.", *id, vocabulary_->limit()));
    return static_cast<Id>(*id);
  }
  bool asks_for(std::string_view name, bool fallback) const {
    return metadata_.boolean(fmt::format("tokenizer.ggml.add_{}_token", name)).value_or(fallback);
  }

  /// The score of every token, for SentencePiece merges.
  std::vector<double> scores() const {
    const std::string_view key = "tokenizer.ggml.scores";
    std::vector<double> scores = metadata_.need(metadata_.reals(key), key);
    if (std::ssize(scores) != vocabulary_->limit())
      fail(key, fmt::format("has {} numbers; one for each of {} tokens was expected.", scores.size(),
                            vocabulary_->limit()));
    if (std::ranges::any_of(scores, [](double score) { return std::isnan(score); }))
      fail(key, "has a number that is none (NaN).");
    return scores;
  }

 private:
  const GgufFile& file_;
  const GgufMetadata& metadata_;
  std::vector<std::int64_t> types_;
  std::shared_ptr<const Vocabulary> vocabulary_;
};

/// The special tokens that the file asks to put around a text.
Template format_of(const GgufVocabulary& from, const SpecialIds& ids, std::vector<int> sequences,
                   bool adds_begin) {
  Template format;
  for (const int sequence : sequences) {
    if (ids.bos != no_id && from.asks_for("bos", adds_begin)) format.push_back({.ids = {ids.bos}});
    format.push_back({.sequence = sequence});
    if (ids.eos != no_id && from.asks_for("eos", false)) format.push_back({.ids = {ids.eos}});
  }
  return format;
}

/// "gpt2": byte-level, with merges and a named pre-tokenizer. Returns whether a begin token is added by
/// default.
bool read_byte_level(const GgufMetadata& metadata, const GgufVocabulary& from, TokenizerParts& parts) {
  NamedPreTokenizer named = named_pre_tokenizer(metadata.string("tokenizer.ggml.pre").value_or("default"));
  parts.pre_tokenizer = std::move(named.steps);
  BpeSettings settings = from.bpe();
  settings.ignore_merges = named.ignore_merges;
  parts.model = std::make_unique<Bpe>(from.vocabulary(), settings);
  parts.decoder = {DecodeBytes{}};
  return named.adds_begin;
}

/// "llama": SentencePiece BPE. The whole text is one word; spaces become "▁", and one is added before the
/// text.
void read_sentence_piece(const GgufMetadata& metadata, const GgufVocabulary& from, TokenizerParts& parts) {
  constexpr const char* space = "\u2581";
  const bool prefix = metadata.boolean("tokenizer.ggml.add_space_prefix").value_or(true);
  if (prefix) parts.normalizer.push_back(Prepend{space});
  parts.normalizer.push_back(Replace{Pattern(std::string(" ")), space});
  BpeSettings settings;
  settings.ranked_merges = merges_of_scores(*from.vocabulary(), from.scores());
  settings.unknown = from.special("unknown");
  settings.fuse_unknown = settings.byte_fallback = true;
  parts.model = std::make_unique<Bpe>(from.vocabulary(), settings);
  parts.decoder = {DecodeReplace{Pattern(std::string(space)), " "}, DecodeFallback{}, DecodeFuse{}};
  if (prefix) parts.decoder.push_back(DecodeStrip{.character = " ", .left = 1});
}

/// "bert": WordPiece.
void read_word_piece(const GgufMetadata& metadata, const GgufVocabulary& from, TokenizerParts& parts) {
  BertNormalizer normalizer;
  normalizer.lowercase = metadata.boolean("tokenizer.ggml.normalizer.lowercase").value_or(true);
  parts.normalizer = {normalizer};
  parts.pre_tokenizer = {BertWords{}};
  parts.model =
      std::make_unique<WordPiece>(from.vocabulary(), WordPieceSettings{.unknown = from.special("unknown")});
  parts.decoder = {DecodeWordPiece{}};
}

/// BERT's form: [CLS] A [SEP], and [CLS] A [SEP] B [SEP], B being of type 1.
void put_bert_format(const GgufVocabulary& from, const SpecialIds& ids, PostProcessor& to) {
  const auto add = [&](Template& format, Id id, int type) {
    if (id != no_id) format.push_back({.type_id = type, .ids = {id}});
  };
  const Id begin = from.asks_for("bos", true) ? ids.bos : no_id,
           end = from.asks_for("eos", true) ? ids.eos : no_id;
  for (Template* format : {&to.single, &to.pair}) {
    add(*format, begin, 0);
    format->push_back({.sequence = 0});
    add(*format, end, 0);
  }
  to.pair.push_back({.sequence = 1, .type_id = 1});
  add(to.pair, end, 1);
}

}  // namespace

std::shared_ptr<const Tokenizer> read_gguf_tokenizer(const GgufFile& file) {
  const GgufMetadata& metadata = file.metadata();
  const GgufVocabulary from(file);
  const std::string_view key = "tokenizer.ggml.model";
  const std::string_view model = metadata.need(metadata.string(key), key);
  if (model != "gpt2" && model != "llama" && model != "bert")
    from.fail(key, fmt::format("is {}; gpt2, llama or bert was expected.", in_quotes(model)));
  TokenizerParts parts;
  parts.added_tokens = from.added();
  bool adds_begin = true;
  if (model == "gpt2")
    adds_begin = read_byte_level(metadata, from, parts);
  else if (model == "bert")
    read_word_piece(metadata, from, parts);
  else
    read_sentence_piece(metadata, from, parts);
  parts.special_ids = {
      .bos = from.special("bos"),
      .eos = from.special("eos"),
      .unk = from.special("unknown"),
      .sep = from.special(metadata.has("tokenizer.ggml.seperator_token_id") ? "seperator" : "separator"),
      .pad = from.special("padding")};
  if (model == "bert") {
    put_bert_format(from, parts.special_ids, parts.post_processor);
    return std::make_shared<const Tokenizer>(std::move(parts));
  }
  parts.post_processor.single = format_of(from, parts.special_ids, {0}, adds_begin);
  parts.post_processor.pair = format_of(from, parts.special_ids, {0, 1}, adds_begin);
  return std::make_shared<const Tokenizer>(std::move(parts));
}

}  // namespace attnscope::tokenizers
