// app/shell: draws a sweep, the values of an experiment or a lesson into one file; each picture takes as many
// frames as its computation.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/exports/html/lesson_page.hpp"
#include "app/files/io/saving.hpp"
#include "app/kit/draw/animation.hpp"
#include "app/kit/draw/pdf.hpp"
#include "app/shell/lesson_player.hpp"
#include "app/shell/page.hpp"
#include "app/state/requests.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/window_state.hpp"
#include "app/workspace/workspace.hpp"
#include "core/document/document.hpp"
#include "core/files/formats/posix.hpp"

namespace attnscope {

class App;

/// Several pictures for one file. Each value is set and drawn once the window shows it; the window goes on,
/// and at the end everything is put back.
struct Film {
  PictureRequest request;
  Mode mode = Mode::Explore;
  std::vector<double> values;  // the values to draw; of a lesson the indices of its steps
  std::size_t at = 0;          // index of the value that is being drawn
  bool is_put_in = false;      // whether that value is set
  Document now;                // with that value

  // Before the first value.
  Document document;
  PageSeries series;  // the page's series
  LessonState lesson;

  AnimatedPng pictures;
  std::optional<PdfPages> pages;     // instead of pictures
  std::vector<HtmlLessonStep> html;  // likewise
  bool is_html() const { return lower_extension(request.path) == ".html"; }

  double share() const { return static_cast<double>(at) / static_cast<double>(values.size()); }
  bool is_last() const { return at + 1 == values.size(); }
};

class Filming {
 public:
  /// Draws pictures of `app`, which owns these pages.
  Filming(const App& app, Workspace& space, Saving& saving, LessonPlayer& lessons,
          std::span<const std::unique_ptr<Page>> pages)
      : app_(app), space_(space), saving_(saving), lessons_(lessons), pages_(pages) {}

  /// Draws the values of a sweep or of an experiment, or the steps of a lesson, one after the other, and then
  /// writes an animated picture or pages. It stops if the user changes something else. Throws Error for what
  /// cannot be drawn like this.
  void begin(const PictureRequest&);
  /// Puts everything back and writes nothing.
  void stop();
  /// At the end of a frame: draws the value that is on screen, then sets the next one.
  void follow();
  bool is_on() const { return film_ != nullptr; }
  std::optional<FileOnItsWay> on_its_way() const;

 private:
  void end();
  void put_in(double value);
  void draw();
  bool is_undisturbed() const;

  const App& app_;
  Workspace& space_;
  Saving& saving_;
  LessonPlayer& lessons_;
  std::span<const std::unique_ptr<Page>> pages_;
  std::unique_ptr<Film> film_;  // the film being drawn; null: none
};

}  // namespace attnscope
