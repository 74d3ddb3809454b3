// core/models/opened: facts from a model's files besides the weights: its name, its size, and a fingerprint
// to recognise the same model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/models/model.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

class ModelFiles;

/// See OpenedModel.
struct FileFacts {
  std::string name, storage;
  std::uint64_t bytes = 0, fingerprint = 0;
  std::optional<TrainedHere> trained;
};
/// `files`: those that the model was opened from. Throws Error naming the file.
FileFacts file_facts(const Model&, ModelFiles& files);

/// The name of a model's folder: NAME in a Hugging Face cache (models--ORG--NAME/snapshots/REVISION), else
/// the folder's own name; empty if neither gives a name.
std::string folder_name(const std::filesystem::path&);

}  // namespace attnscope
