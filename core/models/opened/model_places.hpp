// core/models/opened: finds models on the disk where other programs keep them: the caches of Hugging Face and
// llama.cpp, the folders of Ollama and LM Studio; and those shipped with AttnScope. No model is opened: only
// a config or the first bytes of a file are read.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace attnscope {

/// The program that keeps a model.
enum class ModelKeeper : std::uint8_t { AttnScope, HuggingFace, Ollama, LmStudio, LlamaCpp };
/// "AttnScope", "Hugging Face", "Ollama", ….
const char* name_of(ModelKeeper);

struct ModelPlace {
  ModelKeeper keeper = ModelKeeper::HuggingFace;
  std::filesystem::path path = {};  // for open_whole_model()
  std::string name = {};            // "SmolLM2-135M-Instruct", "llama3.2:1b"; printable
  std::string family = {};          // the name of a Family, or the name in the file
  bool is_known = false;            // whether `family` is such a row; others are refused on opening
  std::string precision = {};       // "bfloat16", "Q4_K_M"; empty if unknown
  std::uint64_t bytes = 0;          // of the files with weights
};

/// The folders to search; those that do not exist have no models.
struct ModelRoots {
  std::filesystem::path shipped;                 // contains NAME, each as a repository's snapshot
  std::filesystem::path hugging_face;            // contains models--ORG--NAME
  std::vector<std::filesystem::path> ollama;     // each contains manifests and blobs
  std::vector<std::filesystem::path> lm_studio;  // PUBLISHER/REPOSITORY/*.gguf
  std::filesystem::path llama_cpp;               // *.gguf
};
/// The folders by the rules of those programs: HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME, OLLAMA_MODELS,
/// LLAMA_CACHE and HOME, read through `variable`; without a home, folders below it are empty; `shipped` is
/// empty.
ModelRoots model_roots(const std::function<const char*(const char* name)>& variable);

struct SearchLimits {
  std::int64_t entries = 20'000;  // of all folders together
  std::chrono::milliseconds time{2'000};
};
/// Sorted by keeper and name; each file once, whatever links lead to it. Unreadable and damaged files are
/// left out; when a limit is reached or a stop is requested, returns what was found so far. Throws only
/// std::bad_alloc.
std::vector<ModelPlace> find_models(const ModelRoots&, const SearchLimits& = {}, const std::stop_token& = {});

}  // namespace attnscope
