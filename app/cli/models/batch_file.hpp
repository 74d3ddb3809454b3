// app/cli/models: a batch as transformers' models take it, in a safetensors file.
#pragma once

#include <filesystem>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

/// The sequences or pictures of the file. Throws Error naming the tensor that does not fit, or that would
/// change what a model of this kind computes and is not read here.
std::vector<ModelInput> read_batch(const std::filesystem::path& path, const ModelSpec& of);

}  // namespace attnscope
