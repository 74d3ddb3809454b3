#include "core/tokenizers/read/gguf_tokenizer.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/bpe.hpp"
#include "core/tokenizers/named_pre_tokenizers.hpp"

namespace attnscope::tokenizers {
namespace {

// The numbers of tokenizer.ggml.token_type.
constexpr std::int64_t control_token = 3, user_defined_token = 4;

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
      // A part may begin with a space of its own; none is empty.
      const std::size_t space = merge.find(' ', 1);
      if (space == merge.npos || space + 1 == merge.size())
        fail(key, fmt::format("has {}; two parts with a space between were expected.", in_quotes(merge, 40)));
      settings.merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
    }
    return settings;
  }

  /// no_id where the file has no such key.
  Id special(std::string_view name) const {
    const std::string key = fmt::format("tokenizer.ggml.{}_token_id", name);
    const auto id = metadata_.integer(key);
    if (!id) return no_id;
    if (*id < 0 || *id >= vocabulary_->limit())
      fail(key,
           fmt::format("is {}; the number of one of {} tokens was expected.", *id, vocabulary_->limit()));
    return static_cast<Id>(*id);
  }
  bool asks_for(std::string_view name) const {
    return metadata_.boolean(fmt::format("tokenizer.ggml.add_{}_token", name)).value_or(false);
  }

 private:
  const GgufFile& file_;
  const GgufMetadata& metadata_;
  std::vector<std::int64_t> types_;
  std::shared_ptr<const Vocabulary> vocabulary_;
};

/// What the file asks to put around a text.
Template format_of(const GgufVocabulary& from, const SpecialIds& ids, std::vector<int> sequences) {
  Template format;
  for (const int sequence : sequences) {
    if (ids.bos != no_id && from.asks_for("bos")) format.push_back({.ids = {ids.bos}});
    format.push_back({.sequence = sequence});
    if (ids.eos != no_id && from.asks_for("eos")) format.push_back({.ids = {ids.eos}});
  }
  return format;
}

}  // namespace

std::shared_ptr<const Tokenizer> read_gguf_tokenizer(const GgufFile& file) {
  const GgufMetadata& metadata = file.metadata();
  const GgufVocabulary from(file);
  const std::string_view key = "tokenizer.ggml.model";
  if (const std::string_view model = metadata.need(metadata.string(key), key); model != "gpt2")
    from.fail(key, fmt::format("is {}; gpt2 was expected.", in_quotes(model)));
  TokenizerParts parts;
  parts.added_tokens = from.added();
  parts.pre_tokenizer = named_pre_tokenizer(metadata.string("tokenizer.ggml.pre").value_or("default"));
  parts.model = std::make_unique<Bpe>(from.vocabulary(), from.bpe());
  parts.decoder = {DecodeBytes{}};
  parts.special_ids = {.bos = from.special("bos"),
                       .eos = from.special("eos"),
                       .unk = from.special("unknown"),
                       .sep = from.special("separator"),
                       .pad = from.special("padding")};
  parts.post_processor.single = format_of(from, parts.special_ids, {0});
  parts.post_processor.pair = format_of(from, parts.special_ids, {0, 1});
  return std::make_shared<const Tokenizer>(std::move(parts));
}

}  // namespace attnscope::tokenizers
