// tests: models of any size in memory, for what matters by its size: how much room it takes and how long.
#pragma once

#include <cstdint>
#include <memory>

#include "core/models/run_model.hpp"

namespace attnscope::large_model {

struct Sizes {
  int d_model, d_inner, vocabulary, blocks, heads, kv_heads, d_k;
};
/// Of Llama 3 8B.
inline constexpr Sizes eight_billion{4096, 14'336, 128'256, 32, 32, 8, 128};
/// That a CPU runs in a moment.
inline constexpr Sizes some_millions{512, 1408, 1000, 4, 8, 2, 64};

enum class Numbers : std::uint8_t {
  Zero,    // take no memory
  Random,  // all matrices share them, as far as they go
};

/// A decoder as Llama's: rotary, gated, RMS norms; weights of bfloat16.
std::shared_ptr<const Model> make(const Sizes&, Numbers);

/// 1, 2, 3, …
ModelInput text(std::int64_t tokens);
/// What the window asks for.
RunRequest in_the_window();

}  // namespace attnscope::large_model
