#include "app/state/view_state.hpp"

#include <algorithm>

#include "app/state/editing_state.hpp"
#include "app/state/files_state.hpp"
#include "app/state/focus_state.hpp"
#include "app/state/heads_state.hpp"
#include "app/state/inspector_state.hpp"
#include "app/state/long_state.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/signals_state.hpp"
#include "app/state/start_state.hpp"
#include "app/state/watch/watch_state.hpp"

namespace attnscope {

bool is_watching(const ViewState& view) { return view.mode == Mode::Model && view.watch->on; }

ViewState::ViewState() = default;
ViewState::ViewState(const ViewState&) = default;
ViewState::ViewState(ViewState&&) noexcept = default;
ViewState& ViewState::operator=(const ViewState&) = default;
ViewState& ViewState::operator=(ViewState&&) noexcept = default;
ViewState::~ViewState() = default;

void ViewState::show_stage(Plane next) {
  inspector->expanded = false;
  vectors.reset();
  editing->weights.reset();
  stage = next;
  if (range == RangeMode::Lock) range = RangeMode::All;  // locked ends of another stage mean nothing
}

void ViewState::show_vectors(Stage next) {
  inspector->expanded = false;
  editing->weights.reset();
  vectors = next;
}

void ViewState::show_weights(Editable next) {
  inspector->expanded = false;
  vectors.reset();
  editing->weights = next;
}

namespace {

/// Calls `see` with every name of a list that is separated by commas, without the blanks around it; stops at
/// the first false.
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

bool ShownSections::has(std::string_view name) const {
  return names.empty() || !all_names(names, [&](std::string_view one) { return one != name; });
}

bool ShownSections::are_known() const {
  return all_names(names, [](std::string_view one) { return std::ranges::find(known, one) != known.end(); });
}

}  // namespace attnscope
