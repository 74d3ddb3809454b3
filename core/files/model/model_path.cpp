#include "core/files/model/model_path.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_adapter_bytes = 1 << 20;
constexpr int most_folder_entries = 2000;  // most entries of a folder that are read

bool is_file(const fs::path& path) {
  std::error_code problem;
  return fs::is_regular_file(path, problem);
}

/// Whether a file in a model's folder is a part of the model and cannot be opened by itself.
bool is_part_of_model(const std::string& name) {
  constexpr auto names = std::to_array<std::string_view>(
      {"config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json",
       "special_tokens_map.json", "added_tokens.json", "vocab.json", "merges.txt", "vocab.txt",
       "spiece.model", "tokenizer.model", "sentencepiece.bpe.model", "preprocessor_config.json",
       "pytorch_model.bin", "model.safetensors", "model.safetensors.index.json"});
  const bool shard =
      name.starts_with("model-") && name.ends_with(".safetensors") && name.find("-of-") != name.npos;
  return shard || std::ranges::find(names, name) != names.end();
}

/// Whether a file in an adapter's folder is a part of the adapter and cannot be opened by itself.
bool is_part_of_adapter(std::string_view name) {
  return name == "adapter_config.json" || name == "adapter_model.safetensors" || name == "adapter_model.bin";
}

/// Whether the adapter changes weights; other adapters add vectors beside the text.
bool is_merged_by_peft(std::string_view type) {
  constexpr auto beside = std::to_array<std::string_view>(
      {"PROMPT_TUNING", "MULTITASK_PROMPT_TUNING", "P_TUNING", "PREFIX_TUNING", "ADAPTION_PROMPT", "CPT"});
  return std::ranges::find(beside, type) == beside.end();
}

bool has_weights(const fs::path& folder) {
  return is_file(folder / "config.json") &&
         (is_file(folder / "model.safetensors") || is_file(folder / "model.safetensors.index.json"));
}

/// The entries of a folder, sorted by name; empty if it cannot be read.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end;
       !problem && at != end && std::ssize(all) < most_folder_entries; at.increment(problem))
    all.push_back(at->path());
  std::ranges::sort(all);
  return all;
}

/// Whether the folder holds a model, or an adapter, which open_model() refuses by its name.
bool is_version(const fs::path& folder) {
  return is_file(folder / "config.json") || is_file(folder / "adapter_config.json");
}

/// The version that refs/main names, else the only one; empty if there is none.
fs::path version_in(const fs::path& cache) {
  std::string main;
  std::ifstream(cache / "refs" / "main") >> main;
  if (!main.empty() && main.find('/') == main.npos && is_version(cache / "snapshots" / main))
    return cache / "snapshots" / main;
  std::vector<fs::path> all = entries(cache / "snapshots");
  std::erase_if(all, [](const fs::path& version) { return !is_version(version); });
  return all.size() == 1 ? all[0] : fs::path();
}

}  // namespace

fs::path model_path(const fs::path& path) {
  std::error_code problem;
  if (is_file(path)) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const std::string name = path.filename().native();
    if (is_part_of_adapter(name) && is_file(folder / "adapter_config.json")) return folder;
    return is_part_of_model(name) && is_file(folder / "config.json") ? folder : path;
  }
  if (!fs::is_directory(path, problem) || is_file(path / "config.json")) return path;
  if (const fs::path version = version_in(path); !version.empty()) return version;
  std::vector<fs::path> ggufs = entries(path);
  std::erase_if(ggufs, [](const fs::path& file) {
    return lower_extension(file) != ".gguf" || !is_file(file) || is_later_part(file.stem().native()) ||
           file.filename().native().starts_with("mmproj");
  });
  return ggufs.size() == 1 ? ggufs[0] : path;
}

bool is_later_part(std::string_view stem) {
  const std::size_t of = stem.rfind("-of-");
  return of != stem.npos && of >= 6 && stem[of - 6] == '-' && stem.substr(of - 5, 5) != "00001";
}

void refuse_adapter(const fs::path& folder) {
  const fs::path file = folder / "adapter_config.json";
  if (!is_file(file)) return;
  const nlohmann::json value = parse_python_json(read_whole(file, most_adapter_bytes), file.native());
  const auto text_of = [&](const char* key) {
    const auto at = value.is_object() ? value.find(key) : value.end();
    return value.is_object() && at != value.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  const std::string base = text_of("base_model_name_or_path"), type = text_of("peft_type");
  const std::string adapter = fmt::format(
      "an adapter ({}) {}", type.empty() || type == "LORA" ? "LoRA" : printable(type),
      base.empty() ? "of a model that it does not name" : "for the model " + in_quotes(base, 100));
  const std::string merge =
      is_merged_by_peft(type)
          ? "In Python, model.merge_and_unload().save_pretrained(folder) writes the two as one model."
          : "It puts vectors of its own before the text, which no weights of a model can stand for.";
  if (has_weights(folder))
    throw Error(
        fmt::format("{} holds a model, and beside it {}: what the two compute together is not known here. {} "
                    "Without adapter_config.json the model opens by itself.",
                    in_quotes(folder.native()), adapter, merge));
  throw Error(fmt::format("{} holds {}, not a model. {}", in_quotes(folder.native()), adapter, merge));
}

}  // namespace attnscope
