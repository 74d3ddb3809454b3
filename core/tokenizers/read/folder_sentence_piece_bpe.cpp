// core/tokenizers/read: tokenizers of folders that have only a SentencePiece BPE model: Llama, Mistral,
// Gemma.
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/tokenizers/precompiled.hpp"
#include "core/tokenizers/read/tokenizer_folder.hpp"
#include "core/tokenizers/sentence_piece.hpp"

namespace attnscope::tokenizers {

namespace {

using Type = SentencePieceModel::Type;

constexpr const char* space_mark = "\u2581";

[[noreturn]] void refuse_bpe(const std::string& file, const std::string& why) {
  throw Error(fmt::format("{}: {}: save the tokenizer as tokenizer.json.", file, why));
}

/// Throws Error for models that SentencePiece itself refuses, and for features that are not supported here.
void check_model(const SentencePieceModel& model, const std::string& file) {
  if (model.space_is_suffix) refuse_bpe(file, "treat_whitespace_as_suffix is true, which is not supported");
  if (!model.escapes_spaces) refuse_bpe(file, "escape_whitespaces is false, which is not supported");
  std::set<std::string_view> texts;
  std::size_t unknown = 0, bytes = 0;
  for (const SentencePieceModel::Piece& piece : model.pieces) {
    const std::string name = in_quotes(piece.text, 40);
    if (!texts.insert(piece.text).second) refuse_bpe(file, fmt::format("the piece {} is there twice", name));
    if (!std::isfinite(piece.score))
      refuse_bpe(file, fmt::format("the piece {} has the score {}", name, piece.score));
    if (piece.type == Type::Unused)
      refuse_bpe(file, fmt::format("the piece {} is marked as unused, which is not supported", name));
    if (piece.type == Type::Byte && !model.byte_fallback)
      refuse_bpe(file, fmt::format("the piece {} is a byte, but byte_fallback is false", name));
    unknown += piece.type == Type::Unknown;
    bytes += piece.type == Type::Byte;
  }
  if (unknown != 1) refuse_bpe(file, fmt::format("{} pieces are marked as unknown, expected one", unknown));
  if (model.byte_fallback && bytes != 256)
    refuse_bpe(file, fmt::format("{} pieces are bytes, expected 256: byte_fallback is true", bytes));
}

/// Where a space is added: before a text, or before each part of it between special tokens.
enum class Prefix {
  None,
  First,  // before the text, unless it begins with a space
  Parts,  // before each part, unless it begins with a space
  Always  // before each part
};

/// Whether LlamaTokenizer, which has its own settings, reads the file.
bool is_llama(const TokenizerFolder& folder) {
  return folder.tokenizer_class() == TokenizerClass::Llama && folder.names_class();
}

/// Whether the class (Llama's or Gemma's) builds the tokenizer itself. It takes only the pieces from the
/// file, not the normalization; every piece may be merged, in the order of the ids.
bool is_built_by_class(const TokenizerFolder& folder) {
  return folder.tokenizer_class() == TokenizerClass::Gemma || is_llama(folder);
}

/// The class's unknown token: Llama's has none and drops text without piece and bytes; Gemma's names one.
Id unknown_of_class(const TokenizerFolder& folder, const Vocabulary& vocabulary, const std::string& file) {
  if (is_llama(folder)) return no_id;
  const std::string named = folder.special("unk_token"), text = named.empty() ? "<unk>" : named;
  const Id id = vocabulary.id(text);
  if (id == no_id)
    refuse_bpe(file, fmt::format("it has no piece {}, which is the unknown token", in_quotes(text, 40)));
  return id;
}

std::unique_ptr<const Model> model_of(const TokenizerFolder& folder, const SentencePieceModel& from,
                                      const std::string& file) {
  const bool by_class = is_built_by_class(folder);
  std::vector<IdOf> tokens;
  std::vector<double> scores;
  std::vector<bool> merge;
  BpeSettings settings;
  for (const SentencePieceModel::Piece& piece : from.pieces) {
    const Id id = static_cast<Id>(tokens.size());
    tokens.push_back({piece.text, id});
    scores.push_back(by_class ? -static_cast<double>(id) : static_cast<double>(piece.score));
    merge.push_back(by_class || piece.type == Type::Normal);
    if (piece.type == Type::Unknown) settings.unknown = id;
    if (piece.type == Type::UserDefined && !by_class) settings.whole.push_back(id);
  }
  const auto vocabulary = std::make_shared<const Vocabulary>(std::move(tokens));
  if (by_class) settings.unknown = unknown_of_class(folder, *vocabulary, file);
  settings.ranked_merges = merges_of_scores(*vocabulary, scores, merge);
  settings.fuse_unknown = true;
  settings.byte_fallback = by_class || from.byte_fallback;
  return std::make_unique<Bpe>(vocabulary, settings);
}

Prefix prefix_of(const TokenizerFolder& folder, const SentencePieceModel& model) {
  const bool says_legacy = folder.config().contains("legacy"), legacy = folder.flag("legacy", false);
  if (folder.tokenizer_class() == TokenizerClass::Gemma) return Prefix::None;
  if (is_llama(folder)) {
    if (!folder.flag("add_prefix_space", true)) return Prefix::None;
    return legacy ? Prefix::Parts : Prefix::First;
  }
  if (!model.adds_prefix) return Prefix::None;
  return legacy || !says_legacy ? Prefix::Always : Prefix::First;
}

void set_stages(const SentencePieceModel& model, bool by_class, Prefix prefix, TokenizerParts& parts) {
  if (!model.character_map.empty() && !by_class)
    parts.normalizer.push_back(PrecompiledMap(model.character_map));
  if (model.removes_spaces && !by_class) {
    parts.normalizer.push_back(Replace{Pattern(Regex(" {2,}")), " "});
    parts.normalizer.push_back(Replace{Pattern(Regex("\\A | \\z")), ""});
  }
  parts.normalizer.push_back(Replace{Pattern(std::string(" ")), space_mark});
  if (prefix == Prefix::Always) parts.normalizer.push_back(Prepend{space_mark});
  if (prefix == Prefix::First || prefix == Prefix::Parts) {
    Metaspace space;
    space.prepend = prefix == Prefix::First ? Metaspace::Prepend::first : Metaspace::Prepend::always;
    space.split = false;
    parts.pre_tokenizer = {space};
  }
  parts.decoder = {DecodeReplace{Pattern(std::string(space_mark)), " "}};
  if (model.byte_fallback || by_class) parts.decoder.push_back(DecodeFallback{});
  parts.decoder.push_back(DecodeFuse{});
  if (prefix != Prefix::None) parts.decoder.push_back(DecodeStrip{.character = " ", .left = 1});
}

/// Default names in the order of special_names.
std::vector<std::string> usual_tokens(const TokenizerFolder& folder, const SentencePieceModel& model) {
  if (is_built_by_class(folder)) return usual_tokens_of(folder.tokenizer_class());
  return {model.begin, model.end, model.unknown};
}

}  // namespace

TokenizerParts from_sentence_piece_bpe(const TokenizerFolder& folder, const SentencePieceModel& model,
                                       const std::string& file) {
  const TokenizerClass of = folder.tokenizer_class();
  if (of != TokenizerClass::Other && of != TokenizerClass::Llama && of != TokenizerClass::Gemma)
    refuse_bpe(file, "is a BPE model, which the tokenizer of this model's class does not read");
  check_model(model, file);
  TokenizerParts parts;
  parts.model = model_of(folder, model, file);
  const bool by_class = is_built_by_class(folder);
  add_tokens_of_pieces(folder, model, by_class, parts);
  const Prefix prefix = prefix_of(folder, model);
  set_stages(model, by_class, prefix, parts);
  const std::vector<std::string> usual = usual_tokens(folder, model);
  add_listed_tokens(folder, usual, parts);
  // These are found in the raw text, since the normalizer would put a space before them.
  if (prefix == Prefix::Always)
    for (AddedToken& token : parts.added_tokens) token.normalized = false;
  name_special_ids(parts, &folder);
  name_usual_ids(usual, parts);
  put_asked_tokens(folder, parts);
  return parts;
}

}  // namespace attnscope::tokenizers
