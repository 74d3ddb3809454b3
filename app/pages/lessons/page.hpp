// app/pages/lessons: the page as the shell knows it. The shell opens lessons and brings their steps on
// screen (App, LessonLibrary), since a step becomes the Document.
#pragma once

#include "app/shell/page.hpp"

namespace attnscope {

class Lessons final : public Page {
 public:
  const PageFacts& facts() const override;
  /// An answer comes into sight over a few frames.
  bool is_moving(const ViewState&) const override;
  void draw(Scene&, const Box&) const override;
  /// From a step into free play, or out of the list; from a room as well.
  bool leave(Scene&) const override;
};

/// For the table of pages.
PageRow lessons_page();

}  // namespace attnscope
