#include "core/models/opened/sentence_modules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"
#include "core/transformer/families/config_object.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_module_bytes = 1 << 20;
constexpr int most_row_width = 1 << 20;
constexpr std::array<std::string_view, sentence_pooling_count> pooling_names{
    "cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"};
/// The boolean keys of older files.
constexpr std::array<std::string_view, sentence_pooling_count> pooling_keys{
    "pooling_mode_cls_token",           "pooling_mode_max_tokens",
    "pooling_mode_mean_tokens",         "pooling_mode_mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken"};

bool is_module_file(const fs::path& path) {
  std::error_code problem;
  return fs::is_regular_file(path, problem);
}

nlohmann::json read_module_file(const fs::path& path) {
  return parse_python_json(read_whole(path, most_module_bytes), path.native());
}

/// The class's name without its packages, if the first is sentence_transformers; else all of it.
std::string class_of(const std::string& type) {
  const std::size_t dot = type.rfind('.');
  return dot != type.npos && type.starts_with("sentence_transformers.") ? type.substr(dot + 1) : type;
}

/// Whether the path is a folder below the model's own.
bool is_below(const fs::path& path) {
  return path.is_relative() && std::ranges::none_of(path, [](const fs::path& part) { return part == ".."; });
}

std::vector<SentencePooling> read_pooling(const ConfigObject& config) {
  for (const auto& [key, value] : config.value().items())
    if (key.starts_with("pooling_mode_") && std::ranges::find(pooling_keys, key) == pooling_keys.end())
      config.refuse(key, "this way of pooling is not known.");
  std::vector<SentencePooling> all;
  if (const nlohmann::json* const modes = config.find("pooling_mode")) {
    const nlohmann::json list = modes->is_array() ? *modes : nlohmann::json::array({*modes});
    for (const nlohmann::json& mode : list) {
      const auto named = mode.is_string() ? sentence_pooling_from(mode.get<std::string>())
                                          : std::optional<SentencePooling>();
      if (!named) config.fail("pooling_mode", "one or more of " + sentence_pooling_names(), mode);
      all.push_back(*named);
    }
    if (all.empty()) config.fail("pooling_mode", "one or more of " + sentence_pooling_names(), *modes);
    return all;
  }
  // In the order in which sentence-transformers concatenates them; the mean if none is asked for.
  for (std::size_t i = 0; i < pooling_keys.size(); ++i)
    if (config.boolean(pooling_keys[i], false)) all.push_back(static_cast<SentencePooling>(i));
  if (all.empty()) all.push_back(SentencePooling::Mean);
  return all;
}

/// Reads how sentence-transformers cuts and changes a text before tokenisation.
void read_text_settings(const fs::path& folder, SentenceModules& modules) {
  for (const char* family :
       {"bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"}) {
    const fs::path path = folder / fmt::format("sentence_{}_config.json", family);
    if (!is_module_file(path)) continue;
    const nlohmann::json value = read_module_file(path);
    const std::string where = path.native();
    const ConfigObject config(value, "", where);
    modules.most_tokens = config.whole("max_seq_length", 0, 1, 1 << 30);
    if (config.boolean("do_lower_case", false))
      config.refuse("do_lower_case", "it is true; texts are not changed to small letters here.");
    return;
  }
}

void refuse_prompt(const fs::path& folder) {
  const fs::path path = folder / "config_sentence_transformers.json";
  if (!is_module_file(path)) return;
  const nlohmann::json value = read_module_file(path);
  const std::string where = path.native();
  const ConfigObject config(value, "", where);
  const std::string name = config.text("default_prompt_name", "");
  if (name.empty()) return;
  const nlohmann::json* const prompts = config.find("prompts");
  if (prompts != nullptr && prompts->is_object() && prompts->contains(name) && prompts->at(name) == "")
    return;
  config.refuse("default_prompt_name",
                fmt::format("it is {}, a prompt that belongs before every text and is not put there.",
                            in_quotes(name, 40)));
}

/// Reads the modules in their order.
class ModuleReader {
 public:
  explicit ModuleReader(const fs::path& folder)
      : folder_(folder), where_((folder / "modules.json").native()) {}

  SentenceModules read() {
    const nlohmann::json list = read_module_file(where_);
    if (!list.is_array())
      throw Error(fmt::format("{}: an array of modules was expected.", in_quotes(where_)));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const ConfigObject module(list[i], fmt::format("[{}]", i), where_);
      take(module, class_of(module.text("type", "")));
    }
    if (!has_transformer_ || made_.pooling.empty())
      throw Error(fmt::format("{} has no {}; one was expected.", in_quotes(where_),
                              has_transformer_ ? "module Pooling" : "module Transformer"));
    read_text_settings(made_.model, made_);
    refuse_prompt(folder_);
    return made_;
  }

 private:
  fs::path folder_of(const ConfigObject& module) const {
    const fs::path path = module.text("path", "");
    if (!is_below(path)) module.refuse("path", "a folder below that of modules.json was expected.");
    return path.empty() ? folder_ : folder_ / path;
  }

  void take(const ConfigObject& module, const std::string& type) {
    const bool pooled = !made_.pooling.empty();
    if (type == "Transformer" && !has_transformer_) {
      has_transformer_ = true;
      made_.model = folder_of(module);
    } else if (type == "Pooling" && has_transformer_ && !pooled) {
      const fs::path path = folder_of(module) / "config.json";
      const nlohmann::json value = read_module_file(path);
      const std::string where = path.native();
      const ConfigObject config(value, "", where);
      made_.pooling = read_pooling(config);
      made_.width = config.whole("word_embedding_dimension", 0, 1, most_row_width);
      made_.width = config.whole("embedding_dimension", made_.width, 1, most_row_width);
    } else if (type == "Normalize" && pooled) {
      made_.normalised = true;
    } else {
      module.refuse("type", fmt::format("the module {} is not understood at this place; Transformer, Pooling "
                                        "and Normalize are, in this order.",
                                        in_quotes(type, 100)));
    }
  }

  fs::path folder_;
  std::string where_;
  bool has_transformer_ = false;
  SentenceModules made_;
};

}  // namespace

std::string_view name_of(SentencePooling pooling) { return pooling_names[static_cast<std::size_t>(pooling)]; }

std::optional<SentencePooling> sentence_pooling_from(std::string_view name) {
  const auto at = std::ranges::find(pooling_names, name);
  if (at == pooling_names.end()) return std::nullopt;
  return static_cast<SentencePooling>(at - pooling_names.begin());
}

std::string sentence_pooling_names() {
  std::string all;
  for (const std::string_view name : pooling_names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

std::optional<SentenceModules> read_sentence_modules(const fs::path& folder) {
  if (!is_module_file(folder / "modules.json")) return std::nullopt;
  return ModuleReader(folder).read();
}

}  // namespace attnscope
