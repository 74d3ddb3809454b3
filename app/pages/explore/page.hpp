// app/pages/explore: the page as the shell knows it.
#pragma once

#include "app/shell/page.hpp"

namespace attnscope {

/// Five regions around one head: controls, heads, the map, the inspector and the signals.
class Explore final : public Page {
 public:
  const PageFacts& facts() const override;
  std::vector<Stop> stops(const Layout&) const override;
  void draw_regions(Scene&, const Layout&, Stops&) const override;
  /// Controls, the map and the exact cells.
  void draw_long(Scene&, const Layout&) const override;
  /// Ends painting, and closes the large neuron view, the drawer of the inspector, and the first steps.
  bool close(Scene&) const override;
};

/// For the table of pages.
PageRow explore_page();

}  // namespace attnscope
