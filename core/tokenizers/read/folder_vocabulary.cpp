// core/tokenizers/read: tokenizers of folders without a tokenizer.json: a vocabulary, and the settings of a
// class of transformers.
#include <algorithm>

#include "core/files/formats/json_reader.hpp"
#include "core/tokenizers/bpe.hpp"
#include "core/tokenizers/named_pre_tokenizers.hpp"
#include "core/tokenizers/read/json_stages.hpp"
#include "core/tokenizers/read/tokenizer_folder.hpp"
#include "core/tokenizers/word_piece.hpp"

namespace attnscope::tokenizers {
namespace {

using nlohmann::json;

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

BpeSettings read_merges(const TokenizerFolder& folder) {
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
  return settings;
}

}  // namespace

void name_usual_ids(const std::vector<std::string>& usual, TokenizerParts& parts) {
  for (std::size_t i = 0; i < usual.size(); ++i) {
    Id& id = parts.special_ids.*special_names[i].second;
    if (id == no_id && &id != &parts.special_ids.unk && !usual[i].empty()) id = id_in(parts, usual[i]);
  }
}

TokenizerParts from_vocabulary_and_merges(const TokenizerFolder& folder) {
  const TokenizerClass of = folder.tokenizer_class();
  const bool is_known = of == TokenizerClass::Gpt2 || of == TokenizerClass::Roberta ||
                        of == TokenizerClass::Qwen2 || of == TokenizerClass::GptNeoX;
  if (!is_known && (of != TokenizerClass::Other || folder.names_class() || !folder.model_type().empty())) {
    throw Error(fmt::format(
        "vocab.json and merges.txt do not say how a {} tokenizer cuts a text: save it as tokenizer.json.",
        folder.names_class() ? in_quotes(folder.setting("tokenizer_class").text(), 40)
                             : in_quotes(folder.model_type(), 40)));
  }
  TokenizerParts parts;
  const json value = parse_strict_json(folder.read("vocab.json"), "vocab.json");
  auto vocabulary = in_file("vocab.json", [&] {
    return std::make_shared<const Vocabulary>(read_vocabulary(JsonNode(&value, "the vocabulary")));
  });
  const BpeSettings settings = read_merges(folder);
  parts.model = in_file("merges.txt", [&] { return std::make_unique<Bpe>(std::move(vocabulary), settings); });
  const bool adds_space = folder.flag("add_prefix_space", false);
  if (of == TokenizerClass::Qwen2 || of == TokenizerClass::GptNeoX)
    parts.normalizer.push_back(UnicodeForm::nfc);
  if (of == TokenizerClass::Qwen2)
    parts.pre_tokenizer.emplace_back(std::in_place_type<Split>,
                                     Split{Regex(qwen2_expression), Delimiters::isolated, false});
  parts.pre_tokenizer.emplace_back(std::in_place_type<ByteLevel>,
                                   ByteLevel{adds_space, of != TokenizerClass::Qwen2});
  parts.decoder = {DecodeBytes{}};
  const std::vector<std::string> usual = usual_tokens_of(is_known ? of : TokenizerClass::Gpt2);
  add_listed_tokens(folder, usual, parts);
  name_special_ids(parts, &folder);
  name_usual_ids(usual, parts);
  if (of == TokenizerClass::Roberta) {
    const SpecialIds& ids = parts.special_ids;
    parts.post_processor = roberta_format(ids.cls, ids.sep, PostProcessor::Trim{adds_space});
  } else {
    put_asked_tokens(folder, parts);
  }
  return parts;
}

TokenizerParts from_vocabulary_lines(const TokenizerFolder& folder) {
  TokenizerParts parts;
  std::vector<IdOf> tokens;
  for (std::string& line : lines_of(folder.read("vocab.txt"), "vocab.txt")) {
    tokens.push_back({std::move(line), static_cast<Id>(tokens.size())});
  }
  auto vocabulary = std::make_shared<const Vocabulary>(std::move(tokens));
  const auto named = [&](const char* key, const char* usual) {
    const std::string text = folder.special(key);
    return text.empty() ? std::string(usual) : text;
  };
  const std::vector<std::string> usual{"",
                                       "",
                                       named("unk_token", "[UNK]"),
                                       named("sep_token", "[SEP]"),
                                       "[PAD]",
                                       named("cls_token", "[CLS]"),
                                       "[MASK]"};
  const Id unknown = vocabulary->id(usual[2]), cls = vocabulary->id(usual[5]), sep = vocabulary->id(usual[3]);
  if (unknown == no_id || cls == no_id || sep == no_id) {
    throw Error(fmt::format("vocab.txt must have the tokens {}, {} and {}.", usual[2], usual[5], usual[3]));
  }
  parts.model = std::make_unique<WordPiece>(std::move(vocabulary), WordPieceSettings{.unknown = unknown});
  BertNormalizer normalizer;
  normalizer.lowercase = folder.flag("do_lower_case", true);
  normalizer.space_around_chinese = folder.flag("tokenize_chinese_chars", true);
  if (folder.setting("strip_accents")) normalizer.strip_accents = folder.flag("strip_accents", false);
  parts.normalizer = {normalizer};
  parts.pre_tokenizer = {BertWords{}};
  parts.post_processor = bert_format(cls, sep);
  parts.decoder = {DecodeWordPiece{}};
  add_listed_tokens(folder, usual, parts);
  name_special_ids(parts, &folder);
  return parts;
}

}  // namespace attnscope::tokenizers
