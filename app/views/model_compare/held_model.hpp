// app/views/model_compare: the differences of the held model to the shown one, in words; and the ways to the
// comparison, head by head.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/scene/scene.hpp"
#include "core/document/model_context.hpp"

namespace attnscope {

/// A difference of B, as tags: its name, B's side, A's side; B's side in few words, and the text from the
/// first difference on, which may be empty: then all of it.
struct HeldDifference {
  std::string_view name;
  std::string b, a, brief, end_of_b = {};
};
std::vector<HeldDifference> differences_of_held(const ModelContext& a, const ModelContext& b);

/// In the top bar, like draw_held_chip(): the differences of the held model.
float draw_held_model_chip(Scene&, float left, float right, float y);

}  // namespace attnscope
