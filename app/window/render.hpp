// app/window: a picture of the window without a window.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/results/choose_backend.hpp"
#include "app/shell/app.hpp"
#include "app/state/requests.hpp"

namespace attnscope {

struct RenderOptions {
  std::optional<std::filesystem::path> file;  // opening_picture() when there is none
  std::string layer;                          // of a dump; empty = the first
  Answers answers;                            // to what a dump may not say
  std::filesystem::path out;                  // PNG, SVG or HTML
  int width = 1600, height = 1000;            // of the window, pixels
  float scale = 1;                            // display scale: at 2, everything is twice as large
  BackendPreference backend = BackendPreference::Auto;
  PictureRegion region = PictureRegion::Window;
  /// An animated PNG of a knob that is turned, or in the view "experiments" of all values of the experiment.
  PictureSeries series = PictureSeries::None;
  edit::Sweep sweep = {};
  bool start = false;        // with the first launch's three things to try
  bool every_query = false;  // of a long text, which else has so many as take seconds
  Spot spot;                 // what is looked at; as the session has it where it does not say
  // Those of the session; explore, dark and English when there are none.
  std::optional<std::string> view, theme, language;
};

/// What takes minutes is refused before it begins, with the limit: `what` is made does not show how far it
/// is. The CPU makes some hundreds of millions of scores a second.
void check_cost(const Document&, const Backends&, const Backend&, const std::filesystem::path& file,
                std::string_view what);
/// A picture of a long text has every so many-th query: a power of two, the least whose scores take seconds.
std::int64_t step_of_queries(const Document&, const Backends&, const Backend&);
/// "computing 15,000 × 60,000 scores in 8 heads …" of every 4th query, where that takes longer than about 5
/// seconds, else empty. render_picture() says it on stderr where that is a terminal.
std::string cost_note(const Document&, const Backends&, const Backend&, std::int64_t step);

/// Draws with the same App as the window until its picture is complete, and writes it. Throws Error for a
/// file that cannot be opened or computed, a view, theme or language that does not exist, a size that cannot
/// be drawn, and whatever keeps the picture from being written. Returns what was lost of a damaged session,
/// or what was guessed of a dump, or which queries of a long text are left out; else empty.
std::string render_picture(const RenderOptions&);

/// A lesson as pages: a PDF, an HTML file, or a PNG a step, "01.png" and on, in a folder that is made where
/// it is missing.
struct LessonPages {
  std::filesystem::path lesson, out;  // a name that ends in .pdf or .html, or the folder
  int width = 1600, height = 1000;
  float scale = 1;
  std::optional<std::size_t> step;  // this one alone, from 1
  bool revealed = false;            // with the answers
  bool presented = false;           // as for a room
  std::optional<std::string> theme, language;
};
/// Returns what the pages lack, one sentence; else empty. Throws Error: for a lesson that cannot be played, a
/// step that it has not, and whatever keeps a page from being written.
std::string render_lesson(const LessonPages&);

}  // namespace attnscope
