// app/exports: a model's activations on its text, as one file of tensors under TransformerLens' names of hook
// points.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/engine/model/model_reading.hpp"
#include "core/readouts/hook_tensors.hpp"

namespace attnscope {

/// The largest export; more is refused.
inline constexpr double most_activation_bytes = 4.0 * 1024 * 1024 * 1024;

/// The bytes of the tensors of these blocks.
double activation_bytes(const ModelReading&, const HookBlocks&);
/// A sentence that tells why there are no activations, or too many; empty if they can be written.
std::string why_no_activations(const ModelReading&, const HookBlocks&);

/// Writes hook_tensors() of the run on screen (with the changes inside the model), "input_ids" and "logits",
/// and as metadata the model and the text. Written atomically. `told(share)` with 0 … 1. Throws Error that
/// names the path, or Cancelled; nothing is written then.
void write_activations(const ModelReading&, const HookBlocks&, const std::filesystem::path&, const Work&,
                       const std::function<void(double)>& told);

}  // namespace attnscope
