#include "app/state/view_state.hpp"

namespace attnscope {

std::optional<Mode> mode_named(std::string_view name) {
  if (name == "explore") return Mode::Explore;
  if (name == "walk") return Mode::Walk;
  if (name == "compare") return Mode::Compare;
  return std::nullopt;
}

}  // namespace attnscope
