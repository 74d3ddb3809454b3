// core/files/model: the model folder or GGUF file that a user's path means.
#pragma once

#include <filesystem>
#include <string_view>

namespace attnscope {

/// The model's folder for one of its files (config.json, model.safetensors, tokenizer.json, …); an adapter's
/// folder for one of its files, which open_model() refuses by its name; for a folder of the Hugging Face
/// cache ("models--ORG--NAME") its main version, else its only one; for a folder without config.json its only
/// .gguf file, of a split file the first part. Any other path unchanged. Does not throw.
std::filesystem::path model_path(const std::filesystem::path&);

/// Whether a GGUF file's name without its ending is that of a later part of a split file; the first part
/// stands for all.
bool is_later_part(std::string_view stem);

/// Throws Error if a folder holds an adapter, naming its kind and its model; also if it holds a model beside
/// the adapter, since transformers would apply both.
void refuse_adapter(const std::filesystem::path& folder);

}  // namespace attnscope
