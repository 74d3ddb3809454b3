#include "app/state/page/names.hpp"

#include <algorithm>

namespace attnscope {
namespace {

/// Calls `see` with every name of a comma-separated list, without the blanks around it; stops at the first
/// false and returns it.
template <class See>
bool all_names(std::string_view list, See see) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!see(name)) return false;
  }
  return true;
}

}  // namespace

bool ListOfNames::has(std::string_view name) const {
  return names.empty() || !all_names(names, [&](std::string_view one) { return one != name; });
}

bool ListOfNames::are_known() const {
  return all_names(names, [&](std::string_view one) { return std::ranges::find(known, one) != known.end(); });
}

}  // namespace attnscope
