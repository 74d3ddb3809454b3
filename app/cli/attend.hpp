// app/cli: `attnscope attend`, attention as a program: tensors in, tensors out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace attnscope {

struct AttendWish {
  std::filesystem::path in, out;
  bool causal = false;
  float soft_cap = 0;          // c·tanh(x / c) of the scaled scores; 0 for none
  std::optional<float> scale;  // what scores are multiplied with; 1/sqrt(d) when there is none
};

/// Reads Q, K, V [batch, heads, n, d] and an optional attn_mask, computes in float32, and writes Y [batch,
/// heads, queries, d_v], weights [batch, heads, queries, keys], lse and entropy [batch, heads, queries]
/// atomically, so that `out` may be `in`. A query without any allowed key gives zeros, entropy 0 and lse
/// -infinity. Returns not_finite_note() of the input. Throws Error.
std::string attend(const AttendWish& wish);

}  // namespace attnscope
