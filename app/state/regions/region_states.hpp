// app/state/regions: the initial states of all regions. Several pages draw regions, so their states are in no
// page's folder.
#pragma once

#include <vector>

#include "app/state/page/page_state.hpp"

namespace attnscope {

std::vector<PageState> region_states();

}  // namespace attnscope
