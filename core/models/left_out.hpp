// core/models: what a model's files and its architecture have that is not computed here.
#pragma once

#include <string>

#include "core/models/config/config.hpp"
#include "core/models/model.hpp"

namespace attnscope {

/// Throws Error naming a tensor that nothing reads and that would change what comes out.
void check_left_out(const Model&, const ModelConfig&);

/// A sentence or two on what is left out and is no trifle: blocks behind the last one that the settings
/// count, what the architecture ends in. Empty where nothing is. Throws Error for a GGUF file with more
/// blocks.
std::string note_on_left_out(const Model&, const ModelConfig&);

}  // namespace attnscope
