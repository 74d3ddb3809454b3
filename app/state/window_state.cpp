#include "app/state/window_state.hpp"

#include "app/state/files_state.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/start_state.hpp"
#include "app/state/watch/watch_state.hpp"

namespace attnscope {

PageStates& pages_of(ViewState& view) { return view.pages; }
const PageStates& pages_of(const ViewState& view) { return view.pages; }

bool is_watching(const ViewState& view) { return view.mode == Mode::Model && view.watch->on; }

ViewState::ViewState() = default;
ViewState::ViewState(const ViewState&) = default;
ViewState::ViewState(ViewState&&) noexcept = default;
ViewState& ViewState::operator=(const ViewState&) = default;
ViewState& ViewState::operator=(ViewState&&) noexcept = default;
ViewState::~ViewState() = default;

}  // namespace attnscope
