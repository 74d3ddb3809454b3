#include "app/state/regions/regions_state.hpp"

#include <utility>

namespace attnscope {

static void fields(PageFields& visit, RegionSizes& sizes) {
  for (auto& [name, size] :
       {std::pair{"controls", &sizes.controls}, std::pair{"heads", &sizes.heads},
        std::pair{"inspector", &sizes.inspector}, std::pair{"signals", &sizes.signals},
        std::pair{"model_head", &sizes.model_head}, std::pair{"model_stream", &sizes.model_stream}})
    visit(name, *size, 0, 1e5);
}

static void fields(PageFields& visit, Scrolls& scrolls) {
  visit("controls", scrolls.controls, 0, 1e6, InUndo::No);
  visit("heads", scrolls.heads, 0, 1e6, InUndo::No);
}

void fields(PageFields& visit, RegionsState& regions) {
  visit("hidden", regions.hidden);
  visit("drawer", regions.drawer);
  visit("sizes", regions.sizes);
  visit("scrolls", regions.scrolls);
}

}  // namespace attnscope
