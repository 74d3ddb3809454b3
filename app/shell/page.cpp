#include "app/shell/page.hpp"

#include "app/scene/stops.hpp"
#include "app/state/regions/layout.hpp"

namespace attnscope {

std::vector<Stop> Page::stops(const Layout& layout) const {
  return has_room(layout.whole) ? std::vector{Stop::Focus} : std::vector<Stop>();
}

void Page::draw_regions(Scene& scene, const Layout& layout, Stops& stops) const {
  if (has_room(layout.whole)) stops.draw(Stop::Focus, false, [&] { draw(scene, layout.whole); });
}

void Page::draw_long(Scene& scene, const Layout& layout) const { draw(scene, layout.whole); }

}  // namespace attnscope
