// core/tokenizers/read: tokenizers of folders that have only a SentencePiece model: the unigram models of T5,
// XLM-R and CamemBERT.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/tokenizers/precompiled.hpp"
#include "core/tokenizers/read/tokenizer_folder.hpp"
#include "core/tokenizers/unigram.hpp"

namespace attnscope::tokenizers {

namespace {

using Type = SentencePieceModel::Type;

/// Adds <extra_id_99> to <extra_id_0> behind the pieces.
void add_sentinels(const TokenizerFolder& folder, TokenizerParts& parts) {
  const std::uint64_t count = folder.setting("extra_ids").whole_or(100, 10'000);
  const bool is_listed = folder.named("additional_special_tokens") ||
                         (count > 0 && folder.config().contains("additional_special_tokens"));
  if (!folder.setting("added_tokens_decoder") && is_listed)
    throw Error(
        "tokenizer_config.json: additional_special_tokens of a spiece.model have no ids there: save the "
        "tokenizer as tokenizer.json.");
  Id id = parts.model->vocabulary().limit();
  for (std::uint64_t i = count; i-- > 0; ++id) {
    std::string text = fmt::format("<extra_id_{}>", i);
    if (id_in(parts, text) != no_id)
      throw Error(fmt::format(
          "spiece.model has a piece {}, and {} tokens of such names are put behind its pieces: "
          "which of the two is meant is not known. Where it is the piece, say \"extra_ids\": 0 in "
          "tokenizer_config.json.",
          text, count));
    parts.added_tokens.push_back({.text = std::move(text), .id = id, .special = true});
  }
}

/// Builds the vocabulary of a unigram model in the order of its ids.
class UnigramPieces {
 public:
  void add(std::string text, double score) {
    tokens_.push_back({std::move(text), static_cast<Id>(tokens_.size())});
    settings_.scores.push_back(score);
  }
  void add_from(const SentencePieceModel& model, std::size_t first) {
    for (std::size_t i = first; i < model.pieces.size(); ++i)
      add(model.pieces[i].text, static_cast<double>(model.pieces[i].score));
  }
  std::unique_ptr<const Model> model(Id unknown) {
    settings_.unknown = unknown;
    return std::make_unique<Unigram>(std::make_shared<const Vocabulary>(std::move(tokens_)),
                                     std::move(settings_));
  }

 private:
  std::vector<IdOf> tokens_;
  UnigramSettings settings_;
};

/// Cuts at white space into words, each with "▁" before it.
void cut_at_spaces(const SentencePieceModel& model, Metaspace::Prepend prepend, TokenizerParts& parts) {
  if (!model.character_map.empty()) parts.normalizer.push_back(PrecompiledMap(model.character_map));
  Metaspace space;
  space.prepend = prepend;
  parts.pre_tokenizer = {WhitespaceSplit{}, space};
  DecodeMetaspace decode;
  decode.strip_first = prepend != Metaspace::Prepend::never;
  parts.decoder = {decode};
}

TokenizerParts of_t5(const TokenizerFolder& folder, const SentencePieceModel& model) {
  TokenizerParts parts;
  UnigramPieces pieces;
  pieces.add_from(model, 0);
  parts.model = pieces.model(2);
  cut_at_spaces(model, Metaspace::Prepend::always, parts);
  add_tokens_of_pieces(folder, model, true, parts);
  add_sentinels(folder, parts);
  add_listed_tokens(folder, usual_tokens_of(TokenizerClass::T5), parts);
  name_special_ids(parts, &folder);
  const Id end = id_in(parts, "</s>");
  parts.post_processor.single = {{.sequence = 0}, {.ids = {end}}};
  parts.post_processor.pair = {{.sequence = 0}, {.ids = {end}}, {.sequence = 1}, {.ids = {end}}};
  return parts;
}

/// The file begins with <unk>, <s>, </s>; fairseq, which trained XLM-R and CamemBERT, has four or five tokens
/// of its own in place of all three or of one of them, and <mask> at the end.
TokenizerParts of_fairseq(const TokenizerFolder& folder, const SentencePieceModel& model) {
  const bool is_camembert = folder.tokenizer_class() == TokenizerClass::Camembert;
  const std::vector<std::string> usual = usual_tokens_of(TokenizerClass::XlmRoberta);
  const auto named = [&](const char* key, const char* text) {
    const std::string given = folder.special(key);
    return given.empty() ? std::string(text) : given;
  };
  UnigramPieces pieces;
  pieces.add(is_camembert ? "<s>NOTUSED" : named("bos_token", "<s>"), 0);
  pieces.add(named("pad_token", "<pad>"), 0);
  pieces.add(is_camembert ? "</s>NOTUSED" : named("eos_token", "</s>"), 0);
  pieces.add(named("unk_token", "<unk>"), 0);
  if (is_camembert) pieces.add("<unk>NOTUSED", -100);
  pieces.add_from(model, is_camembert ? 1 : 3);
  pieces.add(named("mask_token", "<mask>"), 0);
  TokenizerParts parts;
  parts.model = pieces.model(3);
  cut_at_spaces(
      model, folder.flag("add_prefix_space", true) ? Metaspace::Prepend::always : Metaspace::Prepend::never,
      parts);
  add_listed_tokens(folder, usual, parts);
  name_special_ids(parts, &folder);
  name_usual_ids(usual, parts);
  parts.post_processor = roberta_format(parts.special_ids.bos, parts.special_ids.eos, std::nullopt);
  return parts;
}

[[noreturn]] void refuse_model(const std::string& file, const std::string& why) {
  throw Error(fmt::format("{} {}: save the tokenizer as tokenizer.json.", file, why));
}

/// Whether the bytes are Llama 3's lists of base64 byte strings and ranks, which have the same file name.
bool is_tiktoken(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  const std::size_t space = line.find(' ');
  constexpr std::string_view digits = "0123456789";
  return space != line.npos && space > 0 && space % 4 == 0 && space + 1 < line.size() &&
         line.find_first_not_of(digits, space + 1) == line.npos &&
         line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") == space;
}

TokenizerParts of_unigram(const TokenizerFolder& folder, const SentencePieceModel& model,
                          const std::string& file) {
  const auto type = [&](std::size_t i) {
    return model.pieces.size() > i ? model.pieces[i].type : Type::Normal;
  };
  switch (folder.tokenizer_class()) {
    case TokenizerClass::T5:
      if (type(2) != Type::Unknown)
        refuse_model(file, "has another piece than <unk> at place 2, as T5's has it");
      return of_t5(folder, model);
    case TokenizerClass::XlmRoberta:
    case TokenizerClass::Camembert:
      if (type(0) != Type::Unknown || type(1) != Type::Control || type(2) != Type::Control)
        refuse_model(file, "does not begin with <unk>, <s> and </s>, as those of XLM-R and CamemBERT do");
      for (std::size_t i = 3; i < model.pieces.size(); ++i)
        if (model.pieces[i].type != Type::Normal)
          refuse_model(file, fmt::format("has a piece, {}, that is not cut as a text is",
                                         in_quotes(model.pieces[i].text, 40)));
      return of_fairseq(folder, model);
    default:
      refuse_model(
          file,
          "is a unigram model of SentencePiece, of which those of T5, XLM-R and CamemBERT are read alone");
  }
}

}  // namespace

void add_tokens_of_pieces(const TokenizerFolder& folder, const SentencePieceModel& model,
                          bool with_user_defined, TokenizerParts& parts) {
  const nlohmann::json& config = folder.config();
  const auto extra = config.find("extra_special_tokens");
  if (config.contains("additional_special_tokens") || (extra != config.end() && !extra->is_object())) return;
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    const SentencePieceModel::Piece& piece = model.pieces[i];
    const bool special = piece.type == Type::Control;
    if (special || (with_user_defined && piece.type == Type::UserDefined))
      parts.added_tokens.push_back({.text = piece.text, .id = static_cast<Id>(i), .special = special});
  }
}

TokenizerParts from_sentence_piece(const TokenizerFolder& folder, const char* file) {
  const std::string& bytes = folder.read(file);
  if (is_tiktoken(bytes))
    refuse_model(file, "is a list of tokens in base64 (tiktoken), not a SentencePiece model");
  const SentencePieceModel model = read_sentence_piece_model(bytes, file);
  if (!folder.other_class().empty())
    refuse_model(file, fmt::format("is a SentencePiece model of a {}Tokenizer, which is not supported",
                                   printable(folder.other_class())));
  if (model.kind == SentencePieceModel::Kind::Unigram) return of_unigram(folder, model, file);
  if (model.kind == SentencePieceModel::Kind::Bpe) return from_sentence_piece_bpe(folder, model, file);
  refuse_model(file,
               fmt::format("is a {} model of SentencePiece, of which unigram and BPE models are read alone",
                           name_of(model.kind)));
}

}  // namespace attnscope::tokenizers
