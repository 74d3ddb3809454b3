#include "core/models/opened/model_places.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/posix.hpp"
#include "core/files/model/model_path.hpp"
#include "core/models/opened/file_facts.hpp"
#include "core/models/opened/gguf_head.hpp"
#include "core/text/utf8.hpp"
#include "core/transformer/families/families.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t most_json = 1 << 20;  // of a config or a manifest

/// The file's JSON object; null if it holds none.
json json_file(const fs::path& path) {
  try {
    json value = parse_strict_json(read_whole(path, most_json), path.native());
    return value.is_object() ? value : json();
  } catch (const Error&) {
    return {};
  }
}

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t bytes_of(const fs::path& file) {
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(file, missing);
  return missing ? 0 : bytes;
}

/// Lists folders within the limits of time and entries.
class Search {
 public:
  Search(const SearchLimits& limits, const std::stop_token& stop)
      : entries_left_(limits.entries), until_(std::chrono::steady_clock::now() + limits.time), stop_(stop) {}

  /// The entries of a folder (absolute path), sorted by name; nothing if the folder was listed before, under
  /// any name, since links may form cycles.
  std::vector<fs::path> list(const fs::path& folder) {
    if (!folder.is_absolute()) return {};
    std::error_code problem;
    const fs::path real = fs::canonical(folder, problem);
    if (problem || !seen_.insert(real.native()).second) return {};
    std::vector<fs::path> paths;
    for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
      if (is_over()) break;
      --entries_left_;
      paths.push_back(at->path());
    }
    std::ranges::sort(paths);
    return paths;
  }
  bool is_over() const {
    return entries_left_ <= 0 || stop_.stop_requested() || std::chrono::steady_clock::now() > until_;
  }

  void add(ModelPlace place) {
    std::error_code problem;
    const fs::path real = fs::canonical(place.path, problem);
    if (problem || !found_.insert(real.native()).second) return;
    place.name = printable(place.name);
    place.family = printable(place.family);
    place.precision = printable(place.precision);
    places_.push_back(std::move(place));
  }
  std::vector<ModelPlace> take() {
    std::ranges::sort(places_, {}, [](const ModelPlace& place) {
      return std::pair(place.keeper, std::string_view(place.name));
    });
    return std::move(places_);
  }

 private:
  std::int64_t entries_left_;
  std::chrono::steady_clock::time_point until_;
  std::stop_token stop_;
  std::set<std::string> seen_, found_;  // folders, models
  std::vector<ModelPlace> places_;
};

void add_gguf(Search& search, ModelKeeper keeper, const fs::path& file, std::string name) {
  const std::optional<GgufHead> head = read_gguf_head(file);
  if (!head) return;
  const Family* family = find_gguf_family(head->architecture);
  search.add({.keeper = keeper,
              .path = file,
              .name = std::move(name),
              .family = family == nullptr ? head->architecture : std::string(family->name),
              .is_known = family != nullptr,
              .precision = head->precision,
              .bytes = bytes_of(file)});
}

/// Adds GGUF files in a folder and in subfolders down to `depth`.
void add_gguf_files(Search& search, ModelKeeper keeper, const fs::path& folder, int depth) {
  for (const fs::path& path : search.list(folder)) {
    if (search.is_over()) return;
    std::error_code problem;
    if (lower_extension(path) == ".gguf" && !is_later_part(path.stem().native()))
      add_gguf(search, keeper, path, path.stem());
    else if (depth > 0 && fs::is_directory(path, problem))
      add_gguf_files(search, keeper, path, depth - 1);
  }
}

/// Adds a snapshot of a repository: a folder with a config and safetensors, or GGUF files.
void add_snapshot(Search& search, ModelKeeper keeper, const fs::path& folder) {
  ModelPlace place{.keeper = keeper, .path = folder, .name = folder_name(folder)};
  for (const fs::path& file : search.list(folder)) {
    if (lower_extension(file) == ".safetensors") place.bytes += bytes_of(file);
    if (lower_extension(file) == ".gguf" && !is_later_part(file.stem().native()))
      add_gguf(search, keeper, file, file.stem());
  }
  const json config = json_file(folder / "config.json");
  const std::string type = text_in(config, "model_type");
  if (place.bytes == 0 || type.empty()) return;
  const Family* family = find_family(type);
  place.family = family == nullptr ? type : std::string(family->name);
  place.is_known = family != nullptr;
  place.precision = text_in(config, "torch_dtype");
  if (place.precision.empty()) place.precision = text_in(config, "dtype");
  search.add(std::move(place));
}

void search_hugging_face(Search& search, const fs::path& root) {
  for (const fs::path& repository : search.list(root)) {
    if (!repository.filename().native().starts_with("models--")) continue;
    for (const fs::path& snapshot : search.list(repository / "snapshots")) {
      if (search.is_over()) return;
      add_snapshot(search, ModelKeeper::HuggingFace, snapshot);
    }
  }
}

/// The file name of a digest "sha256:…"; empty for anything else.
std::string blob_name(const std::string& digest) {
  constexpr std::string_view kind = "sha256:";
  const std::string hash = digest.starts_with(kind) ? digest.substr(kind.size()) : "";
  const bool is_hash = hash.size() == 64 && hash.find_first_not_of("0123456789abcdef") == hash.npos;
  return is_hash ? "sha256-" + hash : "";
}

void add_manifest(Search& search, const fs::path& root, const fs::path& manifest, std::string name) {
  const json value = json_file(manifest);
  const auto layers = value.find("layers");
  if (layers == value.end() || !layers->is_array()) return;
  for (const json& layer : *layers) {
    if (!layer.is_object() || text_in(layer, "mediaType") != "application/vnd.ollama.image.model") continue;
    const std::string blob = blob_name(text_in(layer, "digest"));
    if (!blob.empty()) add_gguf(search, ModelKeeper::Ollama, root / "blobs" / blob, name);
  }
}

/// Searches manifests/REGISTRY/NAMESPACE/MODEL/TAG; names are as in Ollama, without the default registry and
/// namespace.
void search_ollama(Search& search, const fs::path& root) {
  for (const fs::path& registry : search.list(root / "manifests"))
    for (const fs::path& space : search.list(registry))
      for (const fs::path& model : search.list(space))
        for (const fs::path& tag : search.list(model)) {
          if (search.is_over()) return;
          const std::string host = registry.filename().native(), owner = space.filename().native();
          const bool usual_host = host == "registry.ollama.ai", usual = usual_host && owner == "library";
          add_manifest(search, root, tag,
                       fmt::format("{}{}{}:{}", usual_host ? "" : host + "/", usual ? "" : owner + "/",
                                   model.filename().native(), tag.filename().native()));
        }
}

}  // namespace

const char* name_of(ModelKeeper keeper) {
  constexpr const char* names[] = {"AttnScope", "Hugging Face", "Ollama", "LM Studio", "llama.cpp"};
  return names[static_cast<std::size_t>(keeper)];
}

ModelRoots model_roots(const std::function<const char*(const char* name)>& variable) {
  const auto path_in = [&](const char* name) {
    const char* const value = variable(name);
    return value == nullptr ? fs::path() : fs::path(value);
  };
  const fs::path home = path_in("HOME");
  const auto in_home = [&](const char* below) { return home.empty() ? fs::path() : home / below; };
  fs::path cache = path_in("XDG_CACHE_HOME");
  if (cache.empty()) cache = in_home(".cache");
  const auto in_cache = [&](const char* below) { return cache.empty() ? fs::path() : cache / below; };
  ModelRoots roots;
  roots.hugging_face = path_in("HF_HUB_CACHE");
  if (roots.hugging_face.empty()) {
    const fs::path hf_home = path_in("HF_HOME");
    roots.hugging_face = hf_home.empty() ? in_cache("huggingface/hub") : hf_home / "hub";
  }
  // An Ollama service installed for all users keeps its models in its own home.
  const fs::path ollama = path_in("OLLAMA_MODELS");
  if (!ollama.empty())
    roots.ollama = {ollama};
  else
    roots.ollama = {in_home(".ollama/models"), "/usr/share/ollama/.ollama/models"};
  roots.lm_studio = {in_home(".lmstudio/models"), in_home(".cache/lm-studio/models")};
  roots.llama_cpp = path_in("LLAMA_CACHE");
  if (roots.llama_cpp.empty()) roots.llama_cpp = in_cache("llama.cpp");
  return roots;
}

std::vector<ModelPlace> find_models(const ModelRoots& roots, const SearchLimits& limits,
                                    const std::stop_token& stop) {
  Search search(limits, stop);
  for (const fs::path& folder : search.list(roots.shipped))
    add_snapshot(search, ModelKeeper::AttnScope, folder);
  search_hugging_face(search, roots.hugging_face);
  for (const fs::path& root : roots.ollama) search_ollama(search, root);
  for (const fs::path& root : roots.lm_studio) add_gguf_files(search, ModelKeeper::LmStudio, root, 3);
  add_gguf_files(search, ModelKeeper::LlamaCpp, roots.llama_cpp, 0);
  return search.take();
}

}  // namespace attnscope
