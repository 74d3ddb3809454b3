// app/shell: sweeps, values of an experiment and lessons that are drawn into one file, a picture in as many
// frames as it takes to compute.
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
#include "app/state/view_state.hpp"
#include "app/workspace/workspace.hpp"
#include "core/document/document.hpp"
#include "core/files/formats/posix.hpp"

namespace attnscope {

class App;

/// More than one picture on its way into one file. One after the other is put in, and drawn when the window
/// shows it; the window goes on, and everything comes back as it was.
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

class Filming {
 public:
  /// Draws `app`, which has these pages.
  Filming(const App& app, Workspace& space, Saving& saving, LessonPlayer& lessons,
          std::span<const std::unique_ptr<Page>> pages)
      : app_(app), space_(space), saving_(saving), lessons_(lessons), pages_(pages) {}

  /// Draws the values of a sweep or the steps of a lesson one after the other, and writes an animated picture
  /// or pages of them when all were on screen. A person who changes something else stops it. Throws Error for
  /// what cannot be drawn like this.
  void begin(const PictureRequest&);
  /// Everything as it was; nothing is written.
  void stop();
  /// At the end of a frame: what is on screen is drawn and the next put in.
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
  std::unique_ptr<Film> film_;  // that is being drawn; null: none
};

}  // namespace attnscope
