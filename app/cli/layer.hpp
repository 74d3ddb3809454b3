// app/cli: `attnscope layer`, a whole attention layer as a program, forwards and backwards.
#pragma once

#include <filesystem>
#include <string>

#include "core/files/import/layer_tensors.hpp"

namespace attnscope {

struct LayerOptions {
  std::filesystem::path in, out;
  LayerSettings settings;
};

/// Reads what layer_tensors.hpp lists and writes out [batch][n][d_model] and attn_weights
/// [batch][heads][n][keys]; if the file has grad_out, also the gradients, in the type of `query`: float16 and
/// bfloat16 are computed in float32, float64 in float64. Written atomically. Returns not_finite_note() of the
/// input. Throws Error.
std::string run_layer(const LayerOptions& options);

}  // namespace attnscope
