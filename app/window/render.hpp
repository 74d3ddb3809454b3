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
  std::optional<std::filesystem::path> file;  // if empty: opening_picture()
  std::string layer;                          // of a dump; empty = the first
  Answers answers;                            // to what a dump may not tell
  std::filesystem::path out;                  // PNG, SVG or HTML
  int width = 1600, height = 1000;            // of the window, pixels
  float scale = 1;                            // display scale: at 2, everything is twice as large
  BackendPreference backend = BackendPreference::Auto;
  PictureRegion region = PictureRegion::Window;
  /// An animated PNG of the values of a setting, or in the view "experiments" of all values of the
  /// experiment.
  PictureSeries series = PictureSeries::None;
  edit::Sweep sweep = {};
  bool start = false;        // with the three things to try of the first start
  bool every_query = false;  // of a long text, and all numbers of a model; else as many as take seconds
  Spot spot;                 // head and cell; those not given are the session's
  // Empty: those of the session; without a session explore, dark and English.
  std::optional<std::string> view, theme, language;
};

/// Throws Error, with the limit, if the scores would take the CPU minutes, as making `what` shows no
/// progress. The CPU computes some hundreds of millions of scores a second.
void check_cost(const Document&, const Backends&, const Backend&, const std::filesystem::path& file,
                std::string_view what);
/// A picture of a long text has every n-th query: n is the smallest power of two with which the scores take
/// seconds.
std::int64_t step_of_queries(const Document&, const Backends&, const Backend&);
/// "computing 15,000 × 60,000 scores in 8 heads …" for every `step`-th query, if that takes longer than about
/// 5 seconds; else empty. render_picture() prints it on stderr if that is a terminal.
std::string cost_note(const Document&, const Backends&, const Backend&, std::int64_t step);

/// Draws with the same App as the window until its picture is complete, and writes it. Throws Error for a
/// file that cannot be opened or computed, a view, theme or language that does not exist, a size that cannot
/// be drawn, and a picture that cannot be written. Returns what was lost of a damaged session, what was
/// guessed about a dump, or what of a long text is left out; else empty.
std::string render_picture(const RenderOptions&);

/// A lesson as pages: a PDF, an HTML file, or one PNG for each step, "01.png" and so on, in a folder that is
/// made if it is missing.
struct LessonPages {
  std::filesystem::path lesson, out;  // out: a name that ends in .pdf or .html, or the folder
  int width = 1600, height = 1000;
  float scale = 1;
  std::optional<std::size_t> step;  // this step alone, from 1
  bool revealed = false;            // with the answers
  bool presented = false;           // in presenter mode
  std::optional<std::string> theme, language;
};
/// Returns what the pages lack, one sentence; else empty. Throws Error for a lesson that cannot be played, a
/// step that does not exist, and a page that cannot be written.
std::string render_lesson(const LessonPages&);

}  // namespace attnscope
