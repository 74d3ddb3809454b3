// core/models: models that lie on the disk already, where other programs keep theirs: the caches of Hugging
// Face and llama.cpp, Ollama's and LM Studio's folders; and those that came with the program. No model is
// opened: of each a config, or the first bytes of a file, is read.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace attnscope {

/// The program that put a model there.
enum class ModelKeeper : std::uint8_t { AttnScope, HuggingFace, Ollama, LmStudio, LlamaCpp };
/// "AttnScope", "Hugging Face", "Ollama", ….
const char* name_of(ModelKeeper);

struct ModelPlace {
  ModelKeeper keeper = ModelKeeper::HuggingFace;
  std::filesystem::path path = {};  // to be opened
  std::string name = {};            // "SmolLM2-135M-Instruct", "llama3.2:1b"; printable
  std::string family = {};          // a row of families.hpp, or what the file calls it
  bool is_known = false;            // whether it is such a row: others are refused when they are opened
  std::string precision = {};       // "bfloat16", "Q4_K_M"; empty where it is not told
  std::uint64_t bytes = 0;          // of the files with weights
};

/// Folders that are looked into; those that are not there have no models.
struct ModelRoots {
  std::filesystem::path shipped;                 // has NAME in it, as a repository's snapshot
  std::filesystem::path hugging_face;            // has models--ORG--NAME in it
  std::vector<std::filesystem::path> ollama;     // have manifests and blobs in them
  std::vector<std::filesystem::path> lm_studio;  // PUBLISHER/REPOSITORY/*.gguf
  std::filesystem::path llama_cpp;               // *.gguf
};
/// As those programs choose them: HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME, OLLAMA_MODELS, LLAMA_CACHE and HOME,
/// asked for with `variable`; where there is no home, those that need one are empty; nothing is shipped.
ModelRoots model_roots(const std::function<const char*(const char* name)>& variable);

struct SearchLimits {
  std::int64_t entries = 20'000;  // of folders, all together
  std::chrono::milliseconds time{2'000};
};
/// By keeper and name; each file once, whatever links lead to it. What cannot be read or is damaged is left
/// out; once a limit is reached or a stop is asked for, what was found so far is all. Throws nothing but
/// std::bad_alloc.
std::vector<ModelPlace> find_models(const ModelRoots&, const SearchLimits& = {}, const std::stop_token& = {});

}  // namespace attnscope
