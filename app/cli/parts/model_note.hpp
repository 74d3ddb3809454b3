// app/cli/parts: notes about opening a model and its input, on stderr.
#pragma once

#include <string>

#include "core/models/model.hpp"

namespace attnscope {

/// Prints what of the model's files was left out; nothing if all is used.
void say_note(const Model&);
/// Prints the sentence; nothing if it is empty.
void say_note(const std::string& note);

}  // namespace attnscope
