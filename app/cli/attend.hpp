// app/cli: `attnscope attend`, attention as a program: tensors in, tensors out.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "core/files/import/attention_tensors.hpp"

namespace attnscope {

/// Results that can be written besides Y.
enum class Emit { Scores, Capped, Masked, Weights, LogSumExp, Entropy, Received };

/// The names of --emit: "scores", "capped", "masked", "weights", "lse", "entropy", "received".
std::optional<Emit> emit_from(std::string_view name);

struct AttendOptions {
  std::filesystem::path in, out;
  HeadLayout layout;  // how heads are split from 3-D tensors
  bool causal = false;
  Window window;
  double soft_cap = 0;          // c·tanh(x / c) of the scaled scores; 0: none
  std::optional<double> scale;  // the factor of the scores; empty: 1/sqrt(d)
  Precision precision = Precision::Float32;
  std::set<Emit> emit{Emit::Weights, Emit::LogSumExp, Emit::Entropy};
};

/// The contract of ONNX's Attention operator: reads what attention_tensors.hpp lists and writes
///   Y         [batch][heads][queries][d_v], or [batch][queries][heads · d_v] for 3-D input
///   present_key, present_value  [batch][kv heads][past + keys][d], where a past was read
///   scores    Q·Kᵀ times the scale (qk_matmul_output_mode 0)
///   capped    after the soft-cap (mode 1), masked: after the mask as well (mode 2), weights: after the
///   softmax (mode 3):
///             each [batch][heads][queries][keys]
///   lse, entropy  [batch][heads][queries]; received: column sums of the weights, [batch][heads][keys]
/// in the type of Q: float16 and bfloat16 are computed in float32, float64 is computed in float64 unless
/// another precision is asked for. Written atomically, so that `out` may be `in`. A query without any allowed
/// key has zeros, entropy 0 and lse -infinity. Returns not_finite_note() of the input. Throws Error.
std::string attend(const AttendOptions& options);

}  // namespace attnscope
