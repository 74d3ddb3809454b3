// core/tokenizers/read: added tokens and settings from the files beside a vocabulary.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "core/tokenizers/read/json_stages.hpp"
#include "core/tokenizers/read/tokenizer_folder.hpp"

namespace attnscope::tokenizers {
namespace {

/// Reads a string, or an object with "content" and flags. `is_special`: the default of that flag.
AddedToken read_token(const JsonNode& node, bool is_special) {
  AddedToken token;
  token.special = is_special;
  if (!node.value().is_object()) {
    token.text = node.text();
    return token;
  }
  token.text = node["content"].text();
  token.special = node["special"].boolean_or(is_special);
  token.normalized = node["normalized"].boolean_or(!token.special);
  token.left_strip = node["lstrip"].boolean_or(false);
  token.right_strip = node["rstrip"].boolean_or(false);
  token.single_word = node["single_word"].boolean_or(false);
  return token;
}

class TokenAdder {
 public:
  TokenAdder(const TokenizerFolder& folder, TokenizerParts& parts) : folder_(folder), parts_(parts) {}

  void add_all(const std::vector<std::string>& usual) {
    if (folder_.setting("added_tokens_decoder")) {
      in_file("tokenizer_config.json", [&] {
        add_decoder(folder_.setting("added_tokens_decoder"));
        return 0;
      });
    } else if (folder_.has("added_tokens.json")) {
      add_file();
    }
    std::size_t place = 0;
    for (const auto& [name, member] : special_names) {
      const JsonNode node = folder_.named(name);
      AddedToken token;
      if (node && !folder_.special(name).empty()) {
        token = in_file("tokenizer_config.json", [&] { return read_token(node, true); });
        token.special = true;
      } else if (place < usual.size()) {
        token = {.text = usual[place], .special = true};
      }
      ++place;
      if (!token.text.empty()) add(std::move(token), std::nullopt, name, false);
    }
    in_file("tokenizer_config.json", [&] {
      add_additional();
      return 0;
    });
  }

 private:
  /// Reads {"7": {"content": …}}.
  void add_decoder(const JsonNode& node) {
    if (!node.value().is_object()) node.fail("an object of ids and tokens");
    std::map<Id, AddedToken> tokens;
    for (const auto& [key, value] : node.value().items()) {
      const JsonNode one(&value, node.path() + "." + key);
      Id id = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
      if (error != std::errc() || end != key.data() + key.size() || id < 0) one.fail("a token with an id");
      if (!value.is_object()) one.fail("an object");
      AddedToken token = read_token(one, false);
      if (token.text.empty()) one["content"].fail("a string that is not empty");
      tokens.emplace(id, std::move(token));
    }
    for (auto& [id, token] : tokens) add(std::move(token), id, "added_tokens_decoder", true);
  }

  void add_file() {
    const char* file = "added_tokens.json";
    const nlohmann::json object = folder_.object(file);
    std::map<Id, std::string> tokens;
    for (IdOf& one : in_file(file, [&] { return read_vocabulary(JsonNode(&object, "the tokens")); })) {
      if (one.token.empty()) throw Error(fmt::format("{}: a token has no text.", file));
      const auto [known, is_new] = tokens.emplace(one.id, one.token);
      if (!is_new)
        throw Error(fmt::format("{}: {} and {} have the same id {}.", file, in_quotes(known->second, 40),
                                in_quotes(one.token, 40), one.id));
    }
    for (const auto& [id, text] : tokens) {
      const bool special = is_named(text);
      add({.text = text, .special = special, .normalized = !special}, id, file, true);
    }
  }

  bool is_named(const std::string& text) const {
    return std::ranges::any_of(special_names,
                               [&](const auto& one) { return folder_.special(one.first) == text; });
  }

  /// Adds tokens specific to a model, {"image_token": "<image>"} or an object with "content", then lists of
  /// more.
  void add_additional() {
    for (const auto& [key, value] : folder_.config().items()) {
      const auto is_this = [&name = key](const auto& one) { return name == one.first; };
      const bool is_token = value.is_string() || (value.is_object() && value.contains("content"));
      if (!key.ends_with("_token") || !is_token || std::ranges::any_of(special_names, is_this)) continue;
      add_text(value, key);
    }
    const JsonNode extra = folder_.setting("extra_special_tokens");
    if (extra && extra.value().is_object())
      for (const auto& [key, value] : extra.value().items()) add_text(value, "extra_special_tokens." + key);
    const bool has_list = extra && extra.value().is_array() && !extra.value().empty();
    const JsonNode list = has_list ? extra : folder_.named("additional_special_tokens");
    for (const JsonNode& one : list.elements()) {
      AddedToken token = read_token(one, true);
      if (!token.text.empty()) add(std::move(token), std::nullopt, list.path(), false);
    }
  }

  void add_text(const nlohmann::json& value, const std::string& path) {
    AddedToken token = read_token(JsonNode(&value, path), true);
    if (!token.text.empty()) add(std::move(token), std::nullopt, path, false);
  }

  /// `listed`: the id given by `source`. `sets_flags`: overwrites the flags of a token that exists already.
  void add(AddedToken token, std::optional<Id> listed, std::string_view source, bool sets_flags) {
    const auto found = std::ranges::find(parts_.added_tokens, token.text, &AddedToken::text);
    const Id known =
        found != parts_.added_tokens.end() ? found->id : parts_.model->vocabulary().id(token.text);
    token.id = known != no_id ? known : next_id();
    if (listed && *listed != token.id) {
      throw Error(fmt::format("{} gives {} the id {}, but {} {}; save the tokenizer as tokenizer.json.",
                              source, in_quotes(token.text, 40), *listed,
                              known != no_id ? "its id is" : "the next free id is", token.id));
    }
    if (found == parts_.added_tokens.end()) {
      parts_.added_tokens.push_back(std::move(token));
    } else if (sets_flags) {
      *found = std::move(token);
    } else {
      found->special = found->special || token.special;
    }
  }

  /// The next free id, counted as in the tokenizers library.
  Id next_id() const {
    const Id count = static_cast<Id>(parts_.model->vocabulary().tokens().size());
    Id largest = no_id;
    for (const AddedToken& token : parts_.added_tokens) largest = std::max(largest, token.id);
    return std::max(count, largest + 1);
  }

  const TokenizerFolder& folder_;
  TokenizerParts& parts_;
};

}  // namespace

void add_listed_tokens(const TokenizerFolder& folder, const std::vector<std::string>& usual,
                       TokenizerParts& parts) {
  if (folder.flag("split_special_tokens", false))
    throw Error(
        "tokenizer_config.json: split_special_tokens is true: that special tokens are cut as text is not "
        "supported.");
  TokenAdder(folder, parts).add_all(usual);
}

void put_asked_tokens(const TokenizerFolder& folder, TokenizerParts& parts) {
  const Id bos = folder.flag("add_bos_token", false) ? parts.special_ids.bos : no_id;
  const Id eos = folder.flag("add_eos_token", false) ? parts.special_ids.eos : no_id;
  for (Template* format : {&parts.post_processor.single, &parts.post_processor.pair}) {
    const int texts = format == &parts.post_processor.single ? 1 : 2;
    format->clear();
    for (int text = 0; text < texts; ++text) {
      if (bos != no_id) format->push_back({.type_id = text, .ids = {bos}});
      format->push_back({.sequence = text, .type_id = text});
      if (eos != no_id) format->push_back({.type_id = text, .ids = {eos}});
    }
  }
}

}  // namespace attnscope::tokenizers
