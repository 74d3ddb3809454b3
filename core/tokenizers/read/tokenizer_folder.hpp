// core/tokenizers/read: the files of a model's folder that say something of its tokenizer. For .cpp files of
// this room only.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/read/json_node.hpp"
#include "core/tokenizers/read/sentence_piece_model.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope::tokenizers {

/// What a stage says of a value, with the file's name before it.
template <class Read>
auto in_file(const std::string& where, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", printable(where), error.what()));
  }
}

/// The classes of transformers that set stages of their own; Other: whatever the files describe.
enum class TokenizerClass {
  Other,
  Bert,
  Gpt2,
  Roberta,
  Qwen2,
  GptNeoX,
  T5,
  XlmRoberta,
  Camembert,
  Llama,
  Gemma
};

inline constexpr std::pair<const char*, Id SpecialIds::*> special_names[] = {
    {"bos_token", &SpecialIds::bos},  {"eos_token", &SpecialIds::eos}, {"unk_token", &SpecialIds::unk},
    {"sep_token", &SpecialIds::sep},  {"pad_token", &SpecialIds::pad}, {"cls_token", &SpecialIds::cls},
    {"mask_token", &SpecialIds::mask}};

/// What the class calls them where no file does, in the order of special_names; "" = it has none. Of Other:
/// nothing.
std::vector<std::string> usual_tokens_of(TokenizerClass);

/// Each file is read once.
class TokenizerFolder {
 public:
  explicit TokenizerFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  bool has(const char* name) const;
  std::string read(const char* name) const;
  /// The object of a JSON file; an empty one where there is no such file.
  nlohmann::json object(const char* name) const;
  /// Of tokenizer_config.json.
  JsonNode setting(const char* name) const { return JsonNode(&config_, "")[name]; }
  const nlohmann::json& config() const { return config_; }
  bool flag(const char* name, bool fallback) const;
  /// What "bos_token" and its like name, as a string or as an object with "content"; false when nothing does.
  /// special_tokens_map.json counts first, unless tokenizer_config.json lists its tokens itself, as newer
  /// ones do.
  JsonNode named(const char* name) const;
  /// The text of that; empty when nothing names it.
  std::string special(const char* name) const;
  /// Whether a file says that there is none: null.
  bool has_no(const char* name) const;
  /// Tokens of one model's own that files give such a name: {"image_token", "<image>"}.
  std::vector<std::pair<std::string, std::string>> further_special() const;

  /// As AutoTokenizer takes it from tokenizer_config.json, else from the model_type of config.json.
  TokenizerClass tokenizer_class() const { return class_; }
  /// Whether tokenizer_config.json says so itself.
  bool names_class() const { return names_class_; }
  /// A class that is named and is none of these; empty where there is none.
  const std::string& other_class() const { return other_class_; }
  /// model_type of config.json; empty where there is none.
  const std::string& model_type() const { return model_type_; }
  /// Whether tokenizer_config.json names a program of the model's own for its tokenizer, which no class of
  /// the model type stands in for.
  bool needs_python() const;
  /// Whether AutoTokenizer knows a class for the model type that is one of these.
  bool type_has_class() const;

 private:
  void find_class();

  std::filesystem::path path_;
  nlohmann::json config_, map_;
  TokenizerClass class_ = TokenizerClass::Other;
  bool names_class_ = false;
  std::string other_class_;
  std::string model_type_;
};

/// Adds the tokens that the files beside the vocabulary list or name, with the ids that transformers gives
/// them: added_tokens_decoder, or added_tokens.json; then bos_token and its like; then the additional ones.
/// `usual`: what they are called where no file says, in the order of special_names. Throws Error naming file
/// and key where a token is listed with another id than it would get.
void add_listed_tokens(const TokenizerFolder& folder, const std::vector<std::string>& usual,
                       TokenizerParts& parts);

/// Writes into the object of a tokenizer.json, whose text is `text`, what the class of transformers makes
/// anew whatever stands there: normalizer, pre-tokenizer, decoder and the settings of the model; nothing
/// where there is no tokenizer_config.json. Throws Error
/// where the class is one in Python, or one of another model than the file's.
void put_class_stages(const TokenizerFolder& folder, std::string_view text, nlohmann::json& file);

/// The tokens that the class puts around a text whatever tokenizer.json says. Throws Error where it has none
/// of them.
void put_class_format(const TokenizerFolder& folder, TokenizerParts& parts);

/// The format of a class that puts nothing around a text unless add_bos_token or add_eos_token asks for it.
void put_asked_tokens(const TokenizerFolder& folder, TokenizerParts& parts);

/// The token's id in the vocabulary or among the added ones; no_id when there is no such token.
Id id_in(const TokenizerParts& parts, std::string_view text);
/// By the names that the files give, or that are usual.
void name_special_ids(TokenizerParts& parts, const TokenizerFolder* folder);

/// vocab.json and merges.txt, by the class of the tokenizer.
TokenizerParts from_vocabulary_and_merges(const TokenizerFolder& folder);
/// vocab.txt, by BERT's settings.
TokenizerParts from_vocabulary_lines(const TokenizerFolder& folder);

/// The special tokens that the class calls so where no file does, in the order of special_names; an unknown
/// token is the model's own.
void name_usual_ids(const std::vector<std::string>& usual, TokenizerParts& parts);

/// A model of SentencePiece: the unigram models of T5, XLM-R and CamemBERT, and BPE as Llama, Gemma and the
/// classes that do what the file says read it.
TokenizerParts from_sentence_piece(const TokenizerFolder& folder, const char* file);
/// The control symbols, and those that a user defined, are looked for in the text before it is normalized.
/// Not where tokenizer_config.json has a list of such tokens, were it empty: transformers takes that in their
/// place.
void add_tokens_of_pieces(const TokenizerFolder& folder, const SentencePieceModel& model,
                          bool with_user_defined, TokenizerParts& parts);
/// The BPE models. Throws Error naming the file and what of it is not supported.
TokenizerParts from_sentence_piece_bpe(const TokenizerFolder& folder, const SentencePieceModel& model,
                                       const std::string& file);

}  // namespace attnscope::tokenizers
