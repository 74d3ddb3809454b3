// core/models: what the files of a model tell beside its weights: what it is called, how much it is, and
// whether it is the same one that was opened before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/models/model.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

/// As OpenedModel has them.
struct FileFacts {
  std::string name, storage;
  std::uint64_t bytes = 0, fingerprint = 0;
  std::optional<TrainedHere> trained;
};
/// Of the folder or file that the model was opened from. Throws Error with a sentence that names the file.
FileFacts file_facts(const Model&, const std::filesystem::path&);

/// What a folder of a model is called: in a cache of Hugging Face (models--ORG--NAME/snapshots/REVISION)
/// NAME, elsewhere the folder's own name; empty where neither says anything.
std::string folder_name(const std::filesystem::path&);

}  // namespace attnscope
