// app/pages/model: the zeroed heads of a model, as a list to type, to copy and to keep under a name.
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
/// The sets in HeadSetsState::kept, in its order; invalid lines are left out.
std::vector<NamedHeads> head_sets_in(std::string_view kept);
/// `kept` with this set, which replaces one of the same name or is added at the end. White space in the name
/// becomes single spaces; without a name it is named by its heads.
std::string with_head_set(std::string_view kept, NamedHeads);
std::string without_head_set(std::string_view kept, std::string_view name);

/// Opens the card; says why where no model is open.
void open_head_sets(Scene&);
/// Copies the zeroed heads, as `attnscope run --ablate` takes them.
void copy_zeroed_heads(Scene&);
/// The card, while it is open.
void draw_head_sets(Scene&);

}  // namespace attnscope
