#include "core/tokenizers/read/chat_format.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"
#include "core/files/model/model_files.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/read/tokenizer_folder.hpp"

namespace attnscope::tokenizers {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes_of_template = 1 << 20;
constexpr const char* default_name = "default";

/// Adds the templates of a string, of a list of {"name", "template"}, or of an object of names and templates.
void add_templates(const JsonNode& node, const std::string& where, std::vector<ChatTemplate>& to) {
  if (node.value().is_string()) {
    to.push_back({default_name, node.text(), where});
  } else if (node.value().is_array()) {
    for (const JsonNode& one : node.elements())
      to.push_back({one["name"].text(), one["template"].text(), where});
  } else if (node.value().is_object()) {
    for (const auto& [name, source] : node.value().items()) to.push_back({name, node[name].text(), where});
  } else {
    node.fail("a text or a list of names and templates");
  }
}

void read_jinja_files(const TokenizerFolder& folder, std::vector<ChatTemplate>& to) {
  constexpr const char* file = "chat_template.jinja";
  if (folder.has(file)) to.push_back({default_name, folder.read(file), file});
  std::error_code ignored;
  std::vector<fs::path> others;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(folder.path() / "additional_chat_templates", ignored))
    if (entry.path().extension() == ".jinja") others.push_back(entry.path());
  std::ranges::sort(others);
  for (const fs::path& other : others)
    to.push_back(
        {other.stem().string(), read_whole(other, most_bytes_of_template), other.filename().string()});
}

void read_json_files(const TokenizerFolder& folder, std::vector<ChatTemplate>& to) {
  for (const char* file : {"tokenizer_config.json", "chat_template.json"}) {
    const nlohmann::json& object = folder.object(file);
    in_file(file, [&] {
      if (const JsonNode node = JsonNode(&object, "")["chat_template"]) add_templates(node, file, to);
    });
    if (!to.empty()) return;
  }
}

bool has_text(const TokenizerFolder& folder, std::string_view text) {
  return folder.read("tokenizer.json").find(text) != std::string::npos;
}

/// Whether AutoTokenizer builds a Llama tokenizer from tokenizer.json alone: if the folder does not name the
/// class, or the file is byte-level.
bool is_llama_of_file(const TokenizerFolder& folder) {
  return folder.tokenizer_class() == TokenizerClass::Llama &&
         (!folder.names_class() || (folder.has("tokenizer.json") && has_text(folder, "\"ByteLevel\"")));
}

/// The default name of a special token, if no file gives one: the class's own, or that of a SentencePiece
/// model, which names three.
std::string usual_token(const TokenizerFolder& folder, const Tokenizer& tokenizer, std::size_t place) {
  constexpr std::size_t in_piece_models = 3;
  const std::vector<std::string> usual = usual_tokens_of(folder.tokenizer_class());
  if (!usual.empty() && (place >= usual.size() || !is_llama_of_file(folder)))
    return place < usual.size() ? usual[place] : "";
  if (folder.has("tokenizer.json") || place >= in_piece_models) return {};
  const std::string* const own = tokenizer.token(tokenizer.special_ids().*special_names[place].second);
  return own == nullptr ? "" : *own;
}

/// Adds the special tokens that the files name, else those of the tokenizer's class.
void name_special_tokens(const TokenizerFolder& folder, const Tokenizer& tokenizer, ChatFormat& format) {
  for (std::size_t place = 0; place < std::size(special_names); ++place) {
    const char* const name = special_names[place].first;
    std::string text = folder.special(name);
    if (text.empty() && !folder.has_no(name)) text = usual_token(folder, tokenizer, place);
    if (!text.empty()) format.special_tokens.emplace_back(name, std::move(text));
  }
  for (auto& token : folder.further_special()) format.special_tokens.push_back(std::move(token));
}

ChatFormat read_gguf(ModelFiles& files, const Tokenizer& tokenizer) {
  const std::shared_ptr<const GgufParts> parts = files.gguf();
  const GgufMetadata& metadata = parts->front()->metadata();
  const std::string file = files.path().filename().string(), key = "tokenizer.chat_template";
  ChatFormat format;
  const auto add = [&](std::string_view name, const std::string& at) {
    if (const auto source = metadata.string(at))
      format.templates.push_back({std::string(name), std::string(*source), fmt::format("{}, {}", file, at)});
  };
  add(default_name, key);
  if (const auto names = metadata.strings("tokenizer.chat_templates"))
    for (const std::string_view name : *names) add(name, fmt::format("{}.{}", key, name));
  for (const auto& [name, member] : special_names)
    if (const std::string* const token = tokenizer.token(tokenizer.special_ids().*member))
      format.special_tokens.emplace_back(name, *token);
  return format;
}

}  // namespace

ChatFormat load_chat_format(ModelFiles& files, const Tokenizer& tokenizer) {
  if (files.is_gguf()) return read_gguf(files, tokenizer);
  const TokenizerFolder folder(files);
  ChatFormat format;
  read_jinja_files(folder, format.templates);
  if (format.templates.empty()) read_json_files(folder, format.templates);
  for (const ChatTemplate& one : format.templates)
    if (const auto byte = first_invalid_utf8(one.source))
      throw Error(
          fmt::format("{}: the chat template is not valid UTF-8 at byte {}.", printable(one.where), *byte));
  name_special_tokens(folder, tokenizer, format);
  return format;
}

}  // namespace attnscope::tokenizers
