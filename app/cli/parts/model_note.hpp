// app/cli/parts: what opening a model has to say, on stderr.
#pragma once

#include "core/models/model.hpp"

namespace attnscope {

/// What was left out of the model's files; nothing where all of them counts.
void say_note(const Model&);

}  // namespace attnscope
