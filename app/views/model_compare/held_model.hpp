// app/views/model_compare: how a model that is held differs from the one that is shown, in words; and the
// ways to its comparison, head by head.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/scene/scene.hpp"
#include "core/document/model_context.hpp"

namespace attnscope {

/// How B differs, as tags: what it is about, B's side, A's side; B's side in few words, and from where it
/// differs on; that may be empty: all of it.
struct HeldDifference {
  std::string_view name;
  std::string b, a, brief, end_of_b = {};
};
std::vector<HeldDifference> differences_of_held(const ModelContext& a, const ModelContext& b);

/// In the top bar, as draw_held_chip(): how the held model differs.
float draw_held_model_chip(Scene&, float left, float right, float y);

}  // namespace attnscope
