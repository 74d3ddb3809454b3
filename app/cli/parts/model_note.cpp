#include "app/cli/parts/model_note.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace attnscope {

void say_note(const Model& model) { say_note(model.note); }

void say_note(const std::string& note) {
  if (!note.empty()) fmt::print(stderr, "attnscope: {}\n", note);
}

}  // namespace attnscope
