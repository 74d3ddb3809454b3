#include "core/tokenizers/read/load_tokenizer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/gguf_parts.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/bpe.hpp"
#include "core/tokenizers/read/gguf_tokenizer.hpp"
#include "core/tokenizers/read/json_stages.hpp"
#include "core/tokenizers/word_piece.hpp"

namespace attnscope::tokenizers {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t most_bytes = 256 * 1'048'576;

/// What a stage says of a value, with the file's name before it.
template <class Read>
auto in_file(const std::string& where, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", printable(where), error.what()));
  }
}

Id id_in(const TokenizerParts& parts, std::string_view text) {
  const Id known = parts.model->vocabulary().id(text);
  if (known != no_id) return known;
  for (const AddedToken& token : parts.added_tokens) {
    if (token.text == text) return token.id;
  }
  return no_id;
}

/// The files of one folder, each read once.
class Folder {
 public:
  explicit Folder(const fs::path& path) : path_(path) {
    config_ = object("tokenizer_config.json");
    map_ = object("special_tokens_map.json");
  }

  bool has(const char* name) const { return fs::is_regular_file(path_ / name); }
  std::string read(const char* name) const { return read_whole(path_ / name, most_bytes); }
  json object(const char* name) const {
    if (!has(name)) return json::object();
    json value = parse_strict_json(read(name), name);
    if (!value.is_object()) throw Error(fmt::format("{} must be an object.", name));
    return value;
  }
  /// Of tokenizer_config.json.
  JsonNode setting(const char* name) const { return JsonNode(&config_, "")[name]; }
  /// What "bos_token" and its like name, as a string or as an object with "content"; empty when nothing does.
  std::string special(const char* name) const {
    for (const json* file : {&config_, &map_}) {
      const JsonNode found = JsonNode(file, "")[name];
      if (!found) continue;
      return in_file(file == &config_ ? "tokenizer_config.json" : "special_tokens_map.json",
                     [&] { return found.value().is_object() ? found["content"].text() : found.text(); });
    }
    return {};
  }

 private:
  fs::path path_;
  json config_, map_;
};

constexpr std::pair<const char*, Id SpecialIds::*> special_names[] = {
    {"bos_token", &SpecialIds::bos},  {"eos_token", &SpecialIds::eos}, {"unk_token", &SpecialIds::unk},
    {"sep_token", &SpecialIds::sep},  {"pad_token", &SpecialIds::pad}, {"cls_token", &SpecialIds::cls},
    {"mask_token", &SpecialIds::mask}};

// What these are called where no file says: BERT's and SentencePiece's names.
constexpr std::pair<const char*, Id SpecialIds::*> usual_names[] = {
    {"<s>", &SpecialIds::bos},     {"</s>", &SpecialIds::eos},  {"[UNK]", &SpecialIds::unk},
    {"[SEP]", &SpecialIds::sep},   {"[PAD]", &SpecialIds::pad}, {"[CLS]", &SpecialIds::cls},
    {"[MASK]", &SpecialIds::mask}, {"<unk>", &SpecialIds::unk}, {"<pad>", &SpecialIds::pad},
    {"<mask>", &SpecialIds::mask}};

void name_special_ids(TokenizerParts& parts, const Folder* folder) {
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

/// Special tokens of folders without tokenizer.json: those that are named, if the vocabulary has them.
void add_named_tokens(TokenizerParts& parts, const Folder& folder, std::vector<std::string> names) {
  for (const auto& [name, member] : special_names) names.push_back(folder.special(name));
  for (const std::string& name : names) {
    const Id id = name.empty() ? no_id : parts.model->vocabulary().id(name);
    const bool is_new = std::none_of(parts.added_tokens.begin(), parts.added_tokens.end(),
                                     [&](const AddedToken& token) { return token.id == id; });
    if (id != no_id && is_new) parts.added_tokens.push_back({.text = name, .id = id, .special = true});
  }
}

std::vector<std::string> lines_of(std::string_view text, const char* where) {
  if (const auto at = first_invalid_utf8(text)) {
    throw Error(fmt::format("{} is not valid UTF-8 at byte {}.", where, *at));
  }
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// GPT-2's settings.
TokenizerParts from_vocabulary_and_merges(const Folder& folder) {
  TokenizerParts parts;
  const json value = parse_strict_json(folder.read("vocab.json"), "vocab.json");
  auto vocabulary = in_file("vocab.json", [&] {
    return std::make_shared<const Vocabulary>(read_vocabulary(JsonNode(&value, "the vocabulary")));
  });
  BpeSettings settings;
  std::size_t number = 0;
  for (const std::string& line : lines_of(folder.read("merges.txt"), "merges.txt")) {
    ++number;
    if (line.empty() || line.starts_with("#version")) continue;
    const std::size_t space = line.find(' ');
    if (space == line.npos || line.find(' ', space + 1) != line.npos) {
      throw Error(fmt::format("merges.txt: line {} must be two parts with a space between, found {}.", number,
                              in_quotes(line, 40)));
    }
    settings.merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  parts.model = in_file("merges.txt", [&] { return std::make_unique<Bpe>(std::move(vocabulary), settings); });
  parts.pre_tokenizer = {ByteLevel{in_file(
      "tokenizer_config.json", [&] { return folder.setting("add_prefix_space").boolean_or(false); })}};
  parts.decoder = {DecodeBytes{}};
  add_named_tokens(parts, folder, {"<|endoftext|>"});
  return parts;
}

/// BERT's settings.
TokenizerParts from_vocabulary_lines(const Folder& folder) {
  TokenizerParts parts;
  std::vector<IdOf> tokens;
  for (std::string& line : lines_of(folder.read("vocab.txt"), "vocab.txt")) {
    tokens.push_back({std::move(line), static_cast<Id>(tokens.size())});
  }
  auto vocabulary = std::make_shared<const Vocabulary>(std::move(tokens));
  const Id unknown = vocabulary->id("[UNK]"), cls = vocabulary->id("[CLS]"), sep = vocabulary->id("[SEP]");
  if (unknown == no_id || cls == no_id || sep == no_id) {
    throw Error("vocab.txt must have the tokens [UNK], [CLS] and [SEP].");
  }
  parts.model = std::make_unique<WordPiece>(std::move(vocabulary), WordPieceSettings{.unknown = unknown});
  BertNormalizer normalizer;
  in_file("tokenizer_config.json", [&] {
    normalizer.lowercase = folder.setting("do_lower_case").boolean_or(true);
    normalizer.space_around_chinese = folder.setting("tokenize_chinese_chars").boolean_or(true);
    if (const JsonNode strip = folder.setting("strip_accents"))
      normalizer.strip_accents = strip.boolean_or(false);
    return 0;
  });
  parts.normalizer = {normalizer};
  parts.pre_tokenizer = {BertWords{}};
  parts.post_processor = bert_format(cls, sep);
  parts.decoder = {DecodeWordPiece{}};
  add_named_tokens(parts, folder, {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"});
  return parts;
}

bool has_sentence_piece_model(const fs::path& folder) {
  std::error_code ignored;
  const fs::directory_iterator files(folder, ignored);
  return std::any_of(begin(files), end(files),
                     [](const fs::directory_entry& file) { return file.path().extension() == ".model"; });
}

}  // namespace

TokenizerParts read_tokenizer_json(std::string_view text, const std::string& where) {
  const json value = parse_strict_json(text, where);
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

std::shared_ptr<const Tokenizer> load_tokenizer(const fs::path& path) {
  if (is_gguf(path)) return read_gguf_tokenizer(*open_gguf_parts(path)[0]);
  const Folder folder(path);
  const char* file = "tokenizer.json";
  TokenizerParts parts;
  if (folder.has(file)) {
    parts = read_tokenizer_json(folder.read(file), file);
  } else if (folder.has("vocab.json") && folder.has("merges.txt")) {
    parts = from_vocabulary_and_merges(folder);
    file = "vocab.json";
  } else if (folder.has("vocab.txt")) {
    parts = from_vocabulary_lines(folder);
    file = "vocab.txt";
  } else if (has_sentence_piece_model(path)) {
    throw Error(
        fmt::format("{} has a SentencePiece model only, which is not supported: save the tokenizer as "
                    "tokenizer.json.",
                    in_quotes(path.native())));
  } else {
    throw Error(
        fmt::format("{} has no tokenizer: neither tokenizer.json, nor vocab.json and merges.txt, nor "
                    "vocab.txt.",
                    in_quotes(path.native())));
  }
  name_special_ids(parts, &folder);
  return in_file(file, [&] { return std::make_shared<const Tokenizer>(std::move(parts)); });
}

}  // namespace attnscope::tokenizers
