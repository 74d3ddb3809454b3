// app/cli/parts: what opening a model and its input has to say, on stderr.
#pragma once

#include <string>

#include "core/models/model.hpp"

namespace attnscope {

/// What was left out of the model's files; nothing where all of them counts.
void say_note(const Model&);
/// A sentence; nothing where it is empty.
void say_note(const std::string& note);

}  // namespace attnscope
