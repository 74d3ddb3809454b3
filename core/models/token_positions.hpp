// core/models: where the tokens of an input stand, as its family counts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

/// Positions of tokens [first, …) of input.ids: as given, or counted.
std::vector<std::int64_t> token_positions(const ModelSpec&, const ModelInput&, std::int64_t first = 0);

}  // namespace attnscope
