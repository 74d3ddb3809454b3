// core/models/reading: opens a model.
#pragma once

#include <filesystem>

#include "core/models/model.hpp"

namespace attnscope {

class ModelFiles;

/// Opens a Hugging Face folder (config.json and safetensors) or a GGUF file. Weights stay in the file's map.
/// Throws Error naming the file and the field or tensor, what was found and what was expected.
ModelPtr open_model(const std::filesystem::path& path);
/// The same for files of model_path(), which what else is read of the model can then use.
ModelPtr open_model(ModelFiles& files);

}  // namespace attnscope
