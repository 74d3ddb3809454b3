// app/pages/compare: the page as the shell knows it.
#pragma once

#include "app/shell/page.hpp"

namespace attnscope {

/// What is shown and what is held, side by side.
class Compare final : public Page {
 public:
  const PageFacts& facts() const override;
  void draw(Scene&, const Box&) const override;
};

/// For the table of pages.
PageRow compare_page();

}  // namespace attnscope
