// app/exports: what a model computed on its text, as one file of tensors under the names that TransformerLens
// gives to its hook points.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/engine/model/model_reading.hpp"
#include "core/readouts/hook_tensors.hpp"

namespace attnscope {

/// More than this is not exported at once.
inline constexpr double most_activation_bytes = 4.0 * 1024 * 1024 * 1024;

/// Of the tensors of these blocks.
double activation_bytes(const ModelReading&, const HookBlocks&);
/// A sentence why there are none, or too many; empty where they can be written.
std::string why_no_activations(const ModelReading&, const HookBlocks&);

/// Writes hook_tensors() of the run that is shown (with what is changed inside), "input_ids" and "logits",
/// and as metadata what they are of: model, text. Atomically. `told(share)` with 0 … 1. Throws Error naming
/// the path, or Cancelled; nothing is written then.
void write_activations(const ModelReading&, const HookBlocks&, const std::filesystem::path&, const Work&,
                       const std::function<void(double)>& told);

}  // namespace attnscope
