// app/cli/models: a batch in the format of transformers' models, in a safetensors file.
#pragma once

#include <filesystem>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

/// The sequences or pictures of the file. Throws Error that names a tensor that does not fit, or one that is
/// not read here and would change what a model of this kind computes.
std::vector<ModelInput> read_batch(const std::filesystem::path& path, const ModelSpec& of);

}  // namespace attnscope
