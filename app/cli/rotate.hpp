// app/cli: `attnscope rotate`, rotary positions as a program.
#pragma once

#include <filesystem>

namespace attnscope {

struct RotateOptions {
  std::filesystem::path in, out;
  bool interleaved = false;
  int dims = 0;   // how many dimensions of a head are rotated, even; 0 = all
  int heads = 0;  // of 3-D input
};

/// The contract of ONNX's RotaryEmbedding operator: reads input [batch][heads][n][d] or [batch][n][heads ·
/// d], cos_cache and sin_cache [positions][dims / 2] with position_ids [batch][n], or [batch][n][dims / 2]
/// without, and writes output in the shape and type of the input. Atomically. Throws Error.
void rotate_tensor(const RotateOptions& options);

}  // namespace attnscope
