// app/pages/walk: the page as the shell knows it.
#pragma once

#include "app/shell/page.hpp"

namespace attnscope {

class Walk final : public Page {
 public:
  const PageFacts& facts() const override;
  bool is_moving(const ViewState&) const override;
  void draw(Scene&, const Box&) const override;
  void rest(ViewState&) const override;
};

/// The walk through a result that has scores and whose numbers are all kept.
void draw_walk(Scene&, const Box&);

/// For the table of pages.
PageRow walk_page();

}  // namespace attnscope
