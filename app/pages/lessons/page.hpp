// app/pages/lessons: the page as the shell knows it. The shell opens lessons and shows their steps
// (LessonPlayer, LessonLibrary), since a step becomes the Document.
#pragma once

#include "app/shell/page.hpp"

namespace attnscope {

class Lessons final : public Page {
 public:
  const PageFacts& facts() const override;
  /// True while a revealed answer is scrolled into sight, over a few frames.
  bool is_moving(const ViewState&) const override;
  void draw(Scene&, const Box&) const override;
  /// Leaves a step for free play, or the list; also in presenter mode.
  bool leave(Scene&) const override;
};

/// For the table of pages.
PageRow lessons_page();

}  // namespace attnscope
