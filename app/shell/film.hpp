// app/shell: more than one picture on its way into one file: the values of a sweep or the steps of a lesson.
// One after the other is put in, and drawn when the window shows it; the window goes on, and everything comes
// back as it was.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/exports/html/lesson_page.hpp"
#include "app/kit/draw/animation.hpp"
#include "app/kit/draw/pdf.hpp"
#include "app/shell/page.hpp"
#include "app/state/requests.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/view_state.hpp"
#include "core/document/document.hpp"
#include "core/files/formats/posix.hpp"

namespace attnscope {

struct Film {
  PictureRequest request;
  Mode mode = Mode::Explore;
  std::vector<double> values;  // that are gone through; of a lesson the numbers of its steps
  std::size_t at = 0;          // of them: that is on its way to the screen
  bool is_put_in = false;      // whether it is
  Document now;                // as the film has put it in

  // Before the first value.
  Document document;
  PageSeries series;  // of the page on screen
  LessonState lesson;

  AnimatedPng pictures;
  std::optional<PdfPages> pages;     // instead
  std::vector<HtmlLessonStep> html;  // likewise
  bool is_html() const { return lower_extension(request.path) == ".html"; }

  double share() const { return static_cast<double>(at) / static_cast<double>(values.size()); }
  bool is_last() const { return at + 1 == values.size(); }
};

}  // namespace attnscope
