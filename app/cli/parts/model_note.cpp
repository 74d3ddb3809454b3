#include "app/cli/parts/model_note.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace attnscope {

void say_note(const Model& model) {
  if (!model.note.empty()) fmt::print(stderr, "attnscope: {}\n", model.note);
}

}  // namespace attnscope
