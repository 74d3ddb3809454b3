#include "core/tokenizers/read/tokenizer_folder.hpp"

#include <algorithm>
#include <iterator>

namespace attnscope::tokenizers {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using enum TokenizerClass;

constexpr std::uint64_t most_bytes = 256 * 1'048'576;

const json& no_object() {
  static const json none = json::object();
  return none;
}

/// Class names without "Tokenizer" and "Fast".
constexpr std::pair<std::string_view, TokenizerClass> class_names[] = {
    {"Bert", Bert},        {"DistilBert", Bert}, {"Electra", Bert},          {"MobileBert", Bert},
    {"SqueezeBert", Bert}, {"ConvBert", Bert},   {"LayoutLM", Bert},         {"GPT2", Gpt2},
    {"CodeGen", Gpt2},     {"Roberta", Roberta}, {"Bart", Roberta},          {"Longformer", Roberta},
    {"LED", Roberta},      {"Mvp", Roberta},     {"Lxmert", Bert},           {"Qwen2", Qwen2},
    {"GPTNeoX", GptNeoX},  {"T5", T5},           {"XLMRoberta", XlmRoberta}, {"Camembert", Camembert},
    {"Llama", Llama},      {"Gemma", Gemma}};

constexpr std::pair<std::string_view, TokenizerClass> class_of_type[] = {{"bert", Bert},
                                                                         {"distilbert", Bert},
                                                                         {"electra", Bert},
                                                                         {"mobilebert", Bert},
                                                                         {"squeezebert", Bert},
                                                                         {"convbert", Bert},
                                                                         {"layoutlm", Bert},
                                                                         {"nomic_bert", Bert},
                                                                         {"gpt2", Gpt2},
                                                                         {"gpt_neo", Gpt2},
                                                                         {"gptj", Gpt2},
                                                                         {"opt", Gpt2},
                                                                         {"phi", Gpt2},
                                                                         {"codegen", Gpt2},
                                                                         {"starcoder2", Gpt2},
                                                                         {"roberta", Roberta},
                                                                         {"bart", Roberta},
                                                                         {"longformer", Roberta},
                                                                         {"data2vec-text", Roberta},
                                                                         {"roberta-prelayernorm", Roberta},
                                                                         {"qwen2", Qwen2},
                                                                         {"qwen2_moe", Qwen2},
                                                                         {"qwen3", Qwen2},
                                                                         {"qwen3_moe", Qwen2},
                                                                         {"gpt_neox", GptNeoX},
                                                                         {"olmo", GptNeoX},
                                                                         {"mamba", GptNeoX},
                                                                         {"mpt", GptNeoX},
                                                                         {"t5", T5},
                                                                         {"mt5", T5},
                                                                         {"xlm-roberta", XlmRoberta},
                                                                         {"camembert", Camembert},
                                                                         {"llama", Llama},
                                                                         {"gemma", Gemma},
                                                                         {"gemma2", Gemma},
                                                                         {"gemma3", Gemma},
                                                                         {"gemma3_text", Gemma}};

std::string without_end(std::string text, std::string_view end) {
  if (text.ends_with(end)) text.erase(text.size() - end.size());
  return text;
}

/// Model types for which AutoTokenizer uses the file alone, whatever class is named.
constexpr std::string_view file_types[] = {"mistral",    "mixtral",  "mistral3", "phi3", "llava",
                                           "llava_next", "vipllava", "smolvlm",  "umt5"};

/// Whether the class uses the file's own stages.
bool is_general(const std::string& name) {
  return name == "PreTrained" || name == "TokenizersBackend" || name == "PythonBackend";
}

template <std::size_t count>
TokenizerClass find_in(const std::pair<std::string_view, TokenizerClass> (&list)[count],
                       std::string_view name) {
  const auto found = std::ranges::find(list, name, &std::pair<std::string_view, TokenizerClass>::first);
  return found == std::end(list) ? Other : found->second;
}

}  // namespace

std::vector<std::string> usual_tokens_of(TokenizerClass of) {
  const std::string end = "<|endoftext|>";
  switch (of) {
    case Other: return {};
    case Bert: return {"", "", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"};
    case Gpt2: return {end, end, end};
    case Qwen2: return {"", end, end, "", end};
    case GptNeoX: return {end, end, end, "", "<|padding|>"};
    case T5: return {"", "</s>", "<unk>", "", "<pad>"};
    case Roberta:
    case XlmRoberta:
    case Camembert: return {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"};
    case Llama: return {"<s>", "</s>", "<unk>"};
    case Gemma: return {"<bos>", "<eos>", "<unk>", "", "<pad>", "", "<mask>"};
  }
  return {};
}

TokenizerFolder::TokenizerFolder(ModelFiles& files)
    : files_(files), config_(object("tokenizer_config.json")), map_(object("special_tokens_map.json")) {
  find_class();
}

void TokenizerFolder::find_class() {
  const json* model = &no_object();
  try {
    model = &object("config.json");
  } catch (const Error&) {  // opening the model reports the error
  }
  const auto text_of = [](const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  model_type_ = text_of(*model, "model_type");
  std::string name = text_of(config_, "tokenizer_class");
  names_class_ = !name.empty();
  if (name.empty()) name = text_of(*model, "tokenizer_class");
  name = without_end(without_end(name, "Fast"), "Tokenizer");
  if (model_type_ == "qwen2" && !name.empty()) name = "Qwen2";  // many wrongly name another class
  if (is_general(name) || std::ranges::find(file_types, model_type_) != std::end(file_types)) return;
  class_ = name.empty() ? find_in(class_of_type, model_type_) : find_in(class_names, name);
  if (class_ == Other) other_class_ = name;
}

bool TokenizerFolder::type_has_class() const { return find_in(class_of_type, model_type_) != Other; }

bool TokenizerFolder::needs_python() const {
  const auto map = config_.find("auto_map");
  const TokenizerClass of_type = find_in(class_of_type, model_type_);
  if (map == config_.end() || (of_type != Other && of_type != Llama)) return false;  // Llama's is the file
  return map->is_array() || (map->is_object() && !map->value("AutoTokenizer", json()).is_null());
}

bool TokenizerFolder::has(const char* name) const { return fs::is_regular_file(path() / name); }

const std::string& TokenizerFolder::read(const char* name) const { return files_.text(name, most_bytes); }

const json& TokenizerFolder::object(const char* name) const {
  if (!has(name)) return no_object();
  const json& value = files_.json(name, most_bytes);
  if (!value.is_object()) throw Error(fmt::format("{} must be an object.", name));
  return value;
}

bool TokenizerFolder::flag(const char* name, bool fallback) const {
  return in_file("tokenizer_config.json", [&] { return setting(name).boolean_or(fallback); });
}

JsonNode TokenizerFolder::named(const char* name) const {
  const JsonNode of_config = setting(name), of_map = JsonNode(&map_, "")[name];
  return of_map && !setting("added_tokens_decoder") ? of_map : of_config;
}

std::string TokenizerFolder::special(const char* name) const {
  const JsonNode found = named(name);
  if (!found) return {};
  const auto of_map = map_.find(name);
  const bool is_of_map = of_map != map_.end() && &found.value() == &*of_map;
  return in_file(is_of_map ? "special_tokens_map.json" : "tokenizer_config.json",
                 [&] { return found.value().is_object() ? found["content"].text() : found.text(); });
}

bool TokenizerFolder::has_no(const char* name) const {
  const auto is_null = [&](const json& object) {
    const auto found = object.find(name);
    return found != object.end() && found->is_null();
  };
  return is_null(config_) || (is_null(map_) && !setting("added_tokens_decoder"));
}

std::vector<std::pair<std::string, std::string>> TokenizerFolder::further_special() const {
  std::vector<std::pair<std::string, std::string>> found;
  const auto add = [&](const std::string& name, const json& token) {
    const bool is_known =
        std::ranges::any_of(special_names, [&](const auto& one) { return one.first == name; }) ||
        std::ranges::any_of(found, [&](const auto& one) { return one.first == name; });
    const json text = token.is_object() ? token.value("content", json()) : token;
    if (!is_known && text.is_string() && !text.get_ref<const std::string&>().empty())
      found.emplace_back(name, text.get<std::string>());
  };
  for (const json* object : {&config_, &map_})
    for (const auto& [name, token] : object->items())
      if (name.ends_with("_token") && (object == &config_ || !setting("added_tokens_decoder")))
        add(name, token);
  const json extra = config_.value("extra_special_tokens", json());
  if (extra.is_object())
    for (const auto& [name, token] : extra.items()) add(name, token);
  return found;
}

}  // namespace attnscope::tokenizers
