#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/bpe.hpp"
#include "core/tokenizers/read/json_stages.hpp"
#include "core/tokenizers/unigram.hpp"
#include "core/tokenizers/word_level.hpp"
#include "core/tokenizers/word_piece.hpp"

namespace attnscope::tokenizers {
namespace {

/// The id of model.unk_token; no_id if the file names none, or names one that no token has.
Id read_unknown(const JsonNode& name, const Vocabulary& vocabulary, const std::vector<AddedToken>& added) {
  if (!name) return no_id;
  const std::string text = name.text();
  const Id known = vocabulary.id(text);
  if (known != no_id) return known;
  const auto found =
      std::find_if(added.begin(), added.end(), [&](const AddedToken& one) { return one.text == text; });
  return found == added.end() ? no_id : found->id;
}

/// Reads ["a", "b"] or "a b". There may be hundreds of thousands, so a path is built only for an error.
std::pair<std::string, std::string> read_merge(const nlohmann::json& value, std::size_t place) {
  const auto refuse = [&](const char* expected) {
    JsonNode(&value, fmt::format("model.merges[{}]", place)).fail(expected);
  };
  if (value.is_array()) {
    if (value.size() != 2 || !value[0].is_string() || !value[1].is_string()) refuse("two strings");
    return {value[0].get<std::string>(), value[1].get<std::string>()};
  }
  if (!value.is_string()) refuse("two strings, or one with a space between");
  const std::string& both = value.get_ref<const std::string&>();
  const std::size_t space = both.find(' ');
  if (space == both.npos || both.find(' ', space + 1) != both.npos) {
    refuse("two parts with a space between");
  }
  return {both.substr(0, space), both.substr(space + 1)};
}

std::unique_ptr<const Model> read_bpe(const JsonNode& node, const std::vector<AddedToken>& added) {
  auto vocabulary = std::make_shared<const Vocabulary>(read_vocabulary(node["vocab"]));
  BpeSettings settings;
  const JsonNode merges = node["merges"];
  if (!merges || !merges.value().is_array()) merges.fail("an array");
  settings.merges.reserve(merges.value().size());
  for (const nlohmann::json& merge : merges.value()) {
    settings.merges.push_back(read_merge(merge, settings.merges.size()));
  }
  if (const JsonNode dropout = node["dropout"]; dropout && dropout.number() != 0) dropout.fail("null or 0");
  settings.unknown = read_unknown(node["unk_token"], *vocabulary, added);
  settings.continuing_prefix = node["continuing_subword_prefix"].text_or("");
  settings.end_suffix = node["end_of_word_suffix"].text_or("");
  settings.fuse_unknown = node["fuse_unk"].boolean_or(false);
  settings.byte_fallback = node["byte_fallback"].boolean_or(false);
  settings.ignore_merges = node["ignore_merges"].boolean_or(false);
  return std::make_unique<Bpe>(std::move(vocabulary), settings);
}

std::unique_ptr<const Model> read_word_piece(const JsonNode& node, const std::vector<AddedToken>& added) {
  auto vocabulary = std::make_shared<const Vocabulary>(read_vocabulary(node["vocab"]));
  WordPieceSettings settings;
  const std::string unknown = node["unk_token"].text_or("[UNK]");
  settings.unknown =
      node["unk_token"] ? read_unknown(node["unk_token"], *vocabulary, added) : vocabulary->id(unknown);
  if (settings.unknown == no_id) {
    throw Error(fmt::format("model.unk_token {} is not in the vocabulary.", in_quotes(unknown, 40)));
  }
  settings.continuing_prefix = node["continuing_subword_prefix"].text_or("##");
  settings.most_characters = node["max_input_chars_per_word"].whole_or(100, 1'000'000'000);
  return std::make_unique<WordPiece>(std::move(vocabulary), settings);
}

std::unique_ptr<const Model> read_word_level(const JsonNode& node, const std::vector<AddedToken>& added) {
  auto vocabulary = std::make_shared<const Vocabulary>(read_vocabulary(node["vocab"]));
  const Id unknown =
      node["unk_token"] ? read_unknown(node["unk_token"], *vocabulary, added) : vocabulary->id("<unk>");
  return std::make_unique<WordLevel>(std::move(vocabulary), unknown);
}

std::unique_ptr<const Model> read_unigram(const JsonNode& node) {
  std::vector<IdOf> tokens;
  UnigramSettings settings;
  const JsonNode vocabulary = node["vocab"];
  if (!vocabulary || !vocabulary.value().is_array()) vocabulary.fail("an array of tokens and scores");
  for (const nlohmann::json& one : vocabulary.value()) {
    if (!one.is_array() || one.size() != 2 || !one[0].is_string() || !one[1].is_number()) {
      JsonNode(&one, fmt::format("model.vocab[{}]", tokens.size())).fail("a token and its score");
    }
    tokens.push_back({one[0].get<std::string>(), static_cast<Id>(tokens.size())});
    settings.scores.push_back(one[1].get<double>());
  }
  if (tokens.empty()) vocabulary.fail("an array of tokens and scores");
  if (const JsonNode unknown = node["unk_id"])
    settings.unknown = static_cast<Id>(unknown.whole(tokens.size() - 1));
  settings.byte_fallback = node["byte_fallback"].boolean_or(false);
  return std::make_unique<Unigram>(std::make_shared<const Vocabulary>(std::move(tokens)),
                                   std::move(settings));
}

}  // namespace

std::vector<IdOf> read_vocabulary(const JsonNode& node) {
  if (!node || !node.value().is_object()) node.fail("an object");
  std::vector<IdOf> tokens;
  tokens.reserve(node.value().size());
  for (const auto& [token, id] : node.value().items()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() > largest_id) {
      JsonNode(&id, node.path() + "." + token).fail(fmt::format("a whole number from 0 to {}", largest_id));
    }
    tokens.push_back({token, id.get<Id>()});
  }
  return tokens;
}

std::vector<AddedToken> read_added_tokens(const JsonNode& node) {
  std::vector<AddedToken> added;
  for (const JsonNode& one : node.elements()) {
    AddedToken token;
    token.text = one["content"].text();
    if (token.text.empty()) one["content"].fail("a string that is not empty");
    token.id = static_cast<Id>(one["id"].whole(largest_id));
    token.special = one["special"].boolean_or(false);
    token.normalized = one["normalized"].boolean_or(!token.special);
    token.left_strip = one["lstrip"].boolean_or(false);
    token.right_strip = one["rstrip"].boolean_or(false);
    token.single_word = one["single_word"].boolean_or(false);
    added.push_back(std::move(token));
  }
  return added;
}

std::string model_type_of(const JsonNode& node) {
  const bool has_pieces = node["continuing_subword_prefix"] || node["max_input_chars_per_word"];
  const std::string guess = node["merges"]   ? "BPE"
                            : node["unk_id"] ? "Unigram"
                            : has_pieces     ? "WordPiece"
                                             : "WordLevel";
  return node["type"].text_or(guess);
}

std::unique_ptr<const Model> read_model(const JsonNode& node, const std::vector<AddedToken>& added) {
  if (!node) node.fail("an object");
  const std::string type = model_type_of(node);
  if (type == "BPE") return read_bpe(node, added);
  if (type == "WordPiece") return read_word_piece(node, added);
  if (type == "Unigram") return read_unigram(node);
  if (type == "WordLevel") return read_word_level(node, added);
  node.refuse_type(type);
}

}  // namespace attnscope::tokenizers
