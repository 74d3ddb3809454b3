// app/pages/model: which heads of a model are zeroed, as a list to type, to copy and to keep under a
// name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/scene/scene.hpp"

namespace attnscope {

struct NamedHeads {
  std::string name, heads;
  bool operator==(const NamedHeads&) const = default;
};
/// What HeadSetsState::kept holds, in its order; lines that are none are left out.
std::vector<NamedHeads> head_sets_in(std::string_view kept);
/// With this one, in the place of that with the same name, else behind all. White space in the name becomes
/// single spaces; without a name it is called as its heads.
std::string with_head_set(std::string_view kept, NamedHeads);
std::string without_head_set(std::string_view kept, std::string_view name);

/// Opens the card; says why where no model is open.
void open_head_sets(Scene&);
/// The heads that are zeroed go to the clipboard, as `attnscope run --ablate` takes them.
void copy_zeroed_heads(Scene&);
/// The card, while it is open.
void draw_head_sets(Scene&);

}  // namespace attnscope
