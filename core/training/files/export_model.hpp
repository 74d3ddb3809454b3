// core/training/files: a trained network as a Hugging Face folder, which this program and transformers open
// alike, with the same logits; this program alone opens a Reader, and a NeoX some of whose layers do not
// rotate ("attnscope_neox").
#pragma once

#include <filesystem>
#include <string>

#include "core/training/trainer.hpp"

namespace attnscope::training {

/// The shape that a network has among those that are known.
enum class ModelShape {
  NeoX,    // GPT-NeoX without parallel residual: causal, rotary
  Gpt2,    // GPT-2: causal, learned positions
  Reader,  // "attnscope_reader": reads both ways, rotary
  Vit,     // ViT: patches and a class token, learned positions
};
/// Throws Error with a sentence that says why no family of models has this shape.
ModelShape model_shape(const NetworkSpec&);

/// Writes config.json, tokenizer.json with its config, and model.safetensors into the folder, which is made
/// where it is missing. The safetensors header says name, seed, steps, recipe and instruction set. Throws
/// Error.
void export_model(const std::filesystem::path& folder, const Trainer&);

/// The value of a key in the header of a folder's model.safetensors. Throws Error where there is none.
std::string exported_fact(const std::filesystem::path& folder, const std::string& key);
inline constexpr const char *recipe_fact = "attnscope.recipe", *steps_fact = "attnscope.steps",
                            *instruction_set_fact = "attnscope.instruction_set";

/// Whether two files of safetensors hold the same tensors to the bit; else a sentence that names the first
/// that differs.
std::string first_difference(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace attnscope::training
