// Tokenizers of folders that have a SentencePiece model alone: T5's.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/tokenizers/precompiled.hpp"
#include "core/tokenizers/read/sentence_piece_model.hpp"
#include "core/tokenizers/read/tokenizer_folder.hpp"
#include "core/tokenizers/unigram.hpp"

namespace attnscope::tokenizers {

namespace {

/// <extra_id_99> to <extra_id_0>, behind the pieces.
void add_sentinels(const TokenizerFolder& folder, TokenizerParts& parts) {
  if (!folder.setting("added_tokens_decoder") && folder.named("additional_special_tokens"))
    throw Error(
        "tokenizer_config.json: additional_special_tokens of a spiece.model have no ids there: save the "
        "tokenizer as tokenizer.json.");
  const std::uint64_t count = folder.setting("extra_ids").whole_or(100, 10'000);
  for (std::uint64_t i = count; i-- > 0;) {
    std::string text = fmt::format("<extra_id_{}>", i);
    if (id_in(parts, text) != no_id) continue;
    Id id = parts.model->vocabulary().limit();
    for (const AddedToken& token : parts.added_tokens) id = std::max(id, token.id + 1);
    parts.added_tokens.push_back({.text = std::move(text), .id = id, .special = true});
  }
}

}  // namespace

TokenizerParts from_sentence_piece(const TokenizerFolder& folder, const char* file) {
  const SentencePieceModel model = read_sentence_piece_model(folder.read(file), file);
  using Type = SentencePieceModel::Type;
  const bool fits = model.is_unigram && model.pieces.size() > 2 && model.pieces[2].type == Type::Unknown;
  if (folder.tokenizer_class() != TokenizerClass::T5 || !fits)
    throw Error(
        fmt::format("{} is a SentencePiece model, of which T5's are read alone: save the tokenizer as "
                    "tokenizer.json.",
                    file));
  TokenizerParts parts;
  std::vector<IdOf> tokens;
  UnigramSettings settings{.unknown = 2};
  for (const SentencePieceModel::Piece& piece : model.pieces) {
    tokens.push_back({piece.text, static_cast<Id>(tokens.size())});
    settings.scores.push_back(static_cast<double>(piece.score));
  }
  parts.model =
      std::make_unique<Unigram>(std::make_shared<const Vocabulary>(std::move(tokens)), std::move(settings));
  if (!model.character_map.empty()) parts.normalizer.push_back(PrecompiledMap(model.character_map));
  parts.pre_tokenizer = {WhitespaceSplit{}, Metaspace{}};
  parts.decoder = {DecodeMetaspace{}};
  add_listed_tokens(folder, {"", "</s>", "<unk>", "", "<pad>"}, parts);
  add_sentinels(folder, parts);
  name_special_ids(parts, &folder);
  const Id end = id_in(parts, "</s>");
  parts.post_processor.single = {{.sequence = 0}, {.ids = {end}}};
  parts.post_processor.pair = {{.sequence = 0}, {.ids = {end}}, {.sequence = 1}, {.ids = {end}}};
  return parts;
}

}  // namespace attnscope::tokenizers
