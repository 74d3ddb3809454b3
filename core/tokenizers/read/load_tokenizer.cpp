#include "core/tokenizers/read/load_tokenizer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/files/model/model_files.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/read/gguf_tokenizer.hpp"
#include "core/tokenizers/read/json_stages.hpp"
#include "core/tokenizers/read/tokenizer_folder.hpp"

namespace attnscope::tokenizers {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Default names if no file gives any: BERT's and SentencePiece's.
constexpr std::pair<const char*, Id SpecialIds::*> usual_names[] = {
    {"<s>", &SpecialIds::bos},     {"</s>", &SpecialIds::eos},  {"[UNK]", &SpecialIds::unk},
    {"[SEP]", &SpecialIds::sep},   {"[PAD]", &SpecialIds::pad}, {"[CLS]", &SpecialIds::cls},
    {"[MASK]", &SpecialIds::mask}, {"<unk>", &SpecialIds::unk}, {"<pad>", &SpecialIds::pad},
    {"<mask>", &SpecialIds::mask}};

/// The name of the SentencePiece file in the folder; null if there is none.
const char* sentence_piece_file(const TokenizerFolder& folder) {
  for (const char* file : {"spiece.model", "sentencepiece.bpe.model", "tokenizer.model"})
    if (folder.has(file)) return file;
  return nullptr;
}

bool has_sentence_piece_model(const fs::path& folder) {
  std::error_code ignored;
  const fs::directory_iterator files(folder, ignored);
  return std::any_of(begin(files), end(files),
                     [](const fs::directory_entry& file) { return file.path().extension() == ".model"; });
}

}  // namespace

Id id_in(const TokenizerParts& parts, std::string_view text) {
  const Id known = parts.model->vocabulary().id(text);
  if (known != no_id) return known;
  for (const AddedToken& token : parts.added_tokens) {
    if (token.text == text) return token.id;
  }
  return no_id;
}

void name_special_ids(TokenizerParts& parts, const TokenizerFolder* folder) {
  SpecialIds& ids = parts.special_ids;
  ids.unk = parts.model->unknown();
  for (const auto& [name, member] : usual_names) {
    const std::string_view text = name;
    const auto is_special = [&](const AddedToken& token) { return token.special && token.text == text; };
    const auto found = std::find_if(parts.added_tokens.begin(), parts.added_tokens.end(), is_special);
    if (ids.*member == no_id && found != parts.added_tokens.end()) ids.*member = found->id;
  }
  if (folder == nullptr) return;
  for (const auto& [name, member] : special_names) {
    const std::string text = folder->special(name);
    const Id id = text.empty() ? no_id : id_in(parts, text);
    if (id != no_id) ids.*member = id;
  }
}

namespace {

TokenizerParts read_tokenizer_object(const json& value, const std::string& where) {
  return in_file(where, [&] {
    const JsonNode root(&value, "");
    if (!value.is_object()) JsonNode(&value, "the document").fail("an object");
    TokenizerParts parts;
    parts.added_tokens = read_added_tokens(root["added_tokens"]);
    parts.normalizer = read_normalizer(root["normalizer"]);
    parts.pre_tokenizer = read_pre_tokenizer(root["pre_tokenizer"]);
    parts.model = read_model(root["model"], parts.added_tokens);
    parts.post_processor = read_post_processor(root["post_processor"]);
    parts.decoder = read_decoder(root["decoder"]);
    name_special_ids(parts, nullptr);
    return parts;
  });
}

}  // namespace

TokenizerParts read_tokenizer_json(std::string_view text, const std::string& where) {
  return read_tokenizer_object(parse_strict_json(text, where), where);
}

std::shared_ptr<const Tokenizer> load_tokenizer(const fs::path& path) {
  ModelFiles files(path);
  return load_tokenizer(files);
}

std::shared_ptr<const Tokenizer> load_tokenizer(ModelFiles& files) {
  if (files.is_gguf()) return read_gguf_tokenizer(*files.gguf()->front());
  const fs::path& path = files.path();
  const TokenizerFolder folder(files);
  const char* file = "tokenizer.json";
  TokenizerParts parts;
  if (folder.has(file)) {
    const std::string& text = folder.read(file);
    json object = parse_strict_json(text, file);
    put_class_stages(folder, text, object);
    parts = read_tokenizer_object(object, file);
    add_listed_tokens(folder, {}, parts);
    name_special_ids(parts, &folder);
    put_class_format(folder, parts);
  } else if (folder.has("vocab.json") && folder.has("merges.txt")) {
    parts = from_vocabulary_and_merges(folder);
    file = "vocab.json";
  } else if (folder.has("vocab.txt")) {
    parts = from_vocabulary_lines(folder);
    file = "vocab.txt";
  } else if (const char* model = sentence_piece_file(folder)) {
    file = model;
    parts = from_sentence_piece(folder, file);
  } else if (has_sentence_piece_model(path)) {
    throw Error(
        fmt::format("{} has a SentencePiece model only, of another name than spiece.model, "
                    "sentencepiece.bpe.model and tokenizer.model: save the tokenizer as tokenizer.json.",
                    in_quotes(path.native())));
  } else {
    throw Error(
        fmt::format("{} has no tokenizer: neither tokenizer.json, nor vocab.json and merges.txt, nor "
                    "vocab.txt.",
                    in_quotes(path.native())));
  }
  return in_file(file, [&] { return std::make_shared<const Tokenizer>(std::move(parts)); });
}

}  // namespace attnscope::tokenizers
