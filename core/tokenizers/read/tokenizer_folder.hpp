// core/tokenizers/read: the tokenizer files in a model's folder. Only .cpp files of this room include it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/model/model_files.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/read/json_node.hpp"
#include "core/tokenizers/read/sentence_piece_model.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope::tokenizers {

/// Runs `read` and puts the file's name before its errors.
template <class Read>
auto in_file(const std::string& where, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", printable(where), error.what()));
  }
}

/// Classes of transformers that set their own stages; Other: the stages in the files.
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

/// The class's default names in the order of special_names; "" = it has no such token. Empty for Other.
std::vector<std::string> usual_tokens_of(TokenizerClass);

/// `files` must outlive it; what it returns lives as long as they do.
class TokenizerFolder {
 public:
  explicit TokenizerFolder(ModelFiles& files);

  const std::filesystem::path& path() const { return files_.path(); }
  bool has(const char* name) const;
  const std::string& read(const char* name) const;
  /// The object in a JSON file; an empty one if the file does not exist.
  const nlohmann::json& object(const char* name) const;
  /// A value of tokenizer_config.json.
  JsonNode setting(const char* name) const { return JsonNode(&config_, "")[name]; }
  const nlohmann::json& config() const { return config_; }
  bool flag(const char* name, bool fallback) const;
  /// The value of "bos_token" and similar keys, a string or an object with "content"; converts to false if no
  /// file has it. special_tokens_map.json takes precedence, unless tokenizer_config.json lists its tokens
  /// itself, as newer ones do.
  JsonNode named(const char* name) const;
  /// The text of named(); empty if no file has it.
  std::string special(const char* name) const;
  /// Whether a file sets it to null: the model has no such token.
  bool has_no(const char* name) const;
  /// Tokens specific to a model, with their names: {"image_token", "<image>"}.
  std::vector<std::pair<std::string, std::string>> further_special() const;

  /// As AutoTokenizer chooses it: from tokenizer_config.json, else from the model_type of config.json.
  TokenizerClass tokenizer_class() const { return class_; }
  /// Whether tokenizer_config.json names the class.
  bool names_class() const { return names_class_; }
  /// A named class that is not in TokenizerClass; empty if there is none.
  const std::string& other_class() const { return other_class_; }
  /// model_type of config.json; empty if it is missing.
  const std::string& model_type() const { return model_type_; }
  /// Whether tokenizer_config.json names a Python program of the model itself for its tokenizer, and no class
  /// of the model type replaces it.
  bool needs_python() const;
  /// Whether AutoTokenizer knows, for the model type, one of these classes.
  bool type_has_class() const;

 private:
  void find_class();

  ModelFiles& files_;
  const nlohmann::json &config_, &map_;
  TokenizerClass class_ = TokenizerClass::Other;
  bool names_class_ = false;
  std::string other_class_;
  std::string model_type_;
};

/// Adds the tokens that the files beside the vocabulary list or name, with the ids that transformers gives
/// them: from added_tokens_decoder or added_tokens.json, then "bos_token" and similar keys, then additional
/// ones. `usual`: default names in the order of special_names. Throws Error naming file and key if a token is
/// listed with another id than it would get.
void add_listed_tokens(const TokenizerFolder& folder, const std::vector<std::string>& usual,
                       TokenizerParts& parts);

/// Overwrites, in the object of a tokenizer.json (whose text is `text`), everything that the class of
/// transformers builds itself: normalizer, pre-tokenizer, decoder and the settings of the model. Does nothing
/// without a tokenizer_config.json. Throws Error if the class is written in Python, or belongs to another
/// type of model than the file's.
void put_class_stages(const TokenizerFolder& folder, std::string_view text, nlohmann::json& file);

/// Sets the tokens that the class puts around a text whatever tokenizer.json says. Throws Error if the
/// vocabulary lacks them.
void put_class_format(const TokenizerFolder& folder, TokenizerParts& parts);

/// Sets the format of a class that puts tokens around a text only if add_bos_token or add_eos_token is set.
void put_asked_tokens(const TokenizerFolder& folder, TokenizerParts& parts);

/// The token's id in the vocabulary or among the added ones; no_id if there is no such token.
Id id_in(const TokenizerParts& parts, std::string_view text);
/// Sets special ids by the names in the files, else by default names.
void name_special_ids(TokenizerParts& parts, const TokenizerFolder* folder);

/// Reads vocab.json and merges.txt with the settings of the tokenizer's class.
TokenizerParts from_vocabulary_and_merges(const TokenizerFolder& folder);
/// Reads vocab.txt with BERT's settings.
TokenizerParts from_vocabulary_lines(const TokenizerFolder& folder);

/// Sets special ids by the class's default names if no file names them, in the order of special_names; the
/// unknown token is the model's own.
void name_usual_ids(const std::vector<std::string>& usual, TokenizerParts& parts);

/// Reads a SentencePiece model: unigram as in T5, XLM-R and CamemBERT, and BPE as read by Llama, Gemma and
/// the classes that use the file's own stages.
TokenizerParts from_sentence_piece(const TokenizerFolder& folder, const char* file);
/// Adds control symbols and user-defined symbols as tokens to find in the text before it is normalized. Does
/// nothing if tokenizer_config.json has a list of such tokens, even an empty one: transformers uses that list
/// instead.
void add_tokens_of_pieces(const TokenizerFolder& folder, const SentencePieceModel& model,
                          bool with_user_defined, TokenizerParts& parts);
/// Reads the BPE models. Throws Error naming the file and the unsupported feature.
TokenizerParts from_sentence_piece_bpe(const TokenizerFolder& folder, const SentencePieceModel& model,
                                       const std::string& file);

}  // namespace attnscope::tokenizers
