// core/models: which folder or GGUF file is meant by a path that a person opens.
#pragma once

#include <filesystem>
#include <string_view>

namespace attnscope {

/// The model's folder where one of its files is named (config.json, model.safetensors, tokenizer.json, …), an
/// adapter's where one of its two is, which open_model() refuses by its name; or the folder of a cache
/// ("models--ORG--NAME") of which one version lies there; the .gguf file where a folder without config.json
/// has one, of several parts the first. Anything else as it is. Throws nothing.
std::filesystem::path model_path(const std::filesystem::path&);

/// Of a GGUF file's name without its ending: whether it is a part of a file, and another than the first,
/// which stands for all.
bool is_later_part(std::string_view stem);

/// Throws Error where a folder holds an adapter, naming its kind and the model that it belongs to, also where
/// a model lies beside it: transformers computes with both.
void refuse_adapter(const std::filesystem::path& folder);

}  // namespace attnscope
