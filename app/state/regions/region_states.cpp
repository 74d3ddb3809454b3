#include "app/state/regions/region_states.hpp"

#include "app/state/regions/controls_state.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/heads_state.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/regions/token_look.hpp"

namespace attnscope {

std::vector<PageState> region_states() {
  // States without a name store their fields among those of the window.
  std::vector<PageState> all;
  all.emplace_back("", StageLook());
  all.emplace_back("", TokenLook());
  all.emplace_back("", RegionsState());
  all.emplace_back("", ControlsState());
  all.emplace_back("focus", FocusState());
  all.emplace_back("", FocusGesture());
  all.emplace_back("heads", HeadsState());
  all.emplace_back("long", LongState());
  all.emplace_back("inspector", InspectorState());
  all.emplace_back("signals", SignalsState());
  all.emplace_back("", Oscilloscope());
  all.emplace_back("editing", EditingState());
  return all;
}

}  // namespace attnscope
