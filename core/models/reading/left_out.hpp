// core/models/reading: parts of a model's files and architecture that are not computed.
#pragma once

#include <string>

#include "core/models/config/config.hpp"
#include "core/models/model.hpp"

namespace attnscope {

/// Throws Error naming an unread tensor that would change the result.
void check_left_out(const Model&, const ModelConfig&);

/// A sentence or two on important parts that are left out: blocks beyond the number in the settings, and the
/// architecture's head. Empty if there are none. Throws Error for a GGUF file with such blocks.
std::string note_on_left_out(const Model&, const ModelConfig&);

}  // namespace attnscope
