// app/state/regions: the states of all regions, as they are at the first start. Several pages draw them: they
// belong to no page's folder.
#pragma once

#include <vector>

#include "app/state/page/page_state.hpp"

namespace attnscope {

std::vector<PageState> region_states();

}  // namespace attnscope
