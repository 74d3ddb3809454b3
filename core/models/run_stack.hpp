// core/models: runs rows through a stack of blocks; positions of an input's tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

/// Positions of tokens [first, …) of input.ids: as given, or by the family's default.
std::vector<std::int64_t> token_positions(const ModelSpec&, const ModelInput&, std::int64_t first = 0);

/// Inputs of a stack besides its rows.
struct StackContext {
  std::span<const std::int64_t> positions;  // of the new rows, for RoPE
  std::span<const std::uint8_t> mask;       // of all rows as keys; empty = none is hidden
  const KeptRows* encoder = nullptr;        // cross-attention
  std::span<const std::uint8_t> encoder_mask;
  std::size_t first_block = 0;  // earlier blocks are kept: the input of this one is in the run
};

/// run.hidden[0] holds all rows; those from `first` on are new and pass through the blocks. Throws Cancelled
/// or Error. Blocks can be kept only if all rows are new for the others (first = 0).
void run_stack(const Model&, const StackSpec&, const StackWeights&, const RunRequest&, const StackContext&,
               std::int64_t first, StackRun& run, const Work&);

/// y = norm(x), row by row.
void apply_norm(const Work&, const NormSettings&, const NormWeights&, const float* x, std::int64_t rows,
                std::int64_t width, float* y);

}  // namespace attnscope
