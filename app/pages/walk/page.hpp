// app/pages/walk: the page as the shell knows it.
#pragma once

#include "app/shell/page.hpp"

namespace attnscope {

class Walk final : public Page {
 public:
  const PageFacts& facts() const override;
  bool is_moving(const ViewState&) const override;
  void draw(Scene&, const Box&) const override;
  /// The last move is in sight as a whole when the page is shown again.
  void rest(ViewState&) const override;
};

/// The matrices of a result whose every number is kept, and that has scores.
void draw_walk(Scene&, const Box&);

/// For the table of pages.
PageRow walk_page();

}  // namespace attnscope
