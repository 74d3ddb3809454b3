// app/state: what a view asks of the App beyond an edited Document: files, and the state that is held as B.
// The App does it when the frame is drawn, so that no view pulls the ground from under another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/kit/ui/theme.hpp"
#include "core/edits/sweep.hpp"

namespace attnscope {

/// What a picture that is saved shows: all of it, or one region. Focus is what stands in the middle: the
/// heatmap, or the whole of Walk, Compare and Model. Grid is a page of its own: all heads of a model, also
/// those that are scrolled out of sight.
enum class PictureRegion : std::uint8_t { Window, Focus, Heads, Signals, Inspector, Grid };
/// "window", "focus", "heads", "signals", "inspector", "grid"; empty for anything else.
std::optional<PictureRegion> picture_region_named(std::string_view);

/// More than one picture in a file: a knob that is turned or the values of the experiment on screen, as an
/// animated PNG; or the steps of the lesson on screen, as the pages of a PDF.
enum class PictureSeries : std::uint8_t { None, Sweep, Values, Steps };

struct PictureRequest {
  PictureRegion region = PictureRegion::Window;
  float scale = 1;                      // times the size on screen
  std::filesystem::path path;           // .png, .svg, .html or .pdf
  std::optional<ThemeName> theme = {};  // empty: as on the screen
  int token_pixels = 4;  // of Grid, instead of `scale`: the side of a token in a head's picture
  PictureSeries series = PictureSeries::None;
  edit::Sweep sweep = {};    // of Sweep
  std::string caption = {};  // stands in the picture
  bool answers = false;      // of Steps: what is asked is answered
};
inline constexpr int least_token_pixels = 1, most_token_pixels = 16;
inline constexpr int least_picture_scale = 1, most_picture_scale = 8;

/// A step of a lesson, from 0; see LessonLibrary::follow().
struct LessonRequest {
  std::string name;
  std::int64_t step = 0;
};

/// What a page has made. It is opened as a file would be, and looked at in Explore.
struct MadeDocument {
  Document document;
  std::optional<Document> held = {};  // becomes B; empty: there is none any more
};

struct Requests {
  std::optional<std::filesystem::path> open;
  std::string layer;                          // of the dump to open; empty = the first
  bool cancel_opening = false;                // of a large file that is on its way
  std::optional<std::filesystem::path> save;  // an empty path: where it was saved or opened
  std::optional<PictureRequest> picture;
  bool cancel_export = false;      // of what is made of a model for a file
  bool replace = false;            // what is saved may take the place of another file: the person was asked
  bool cancel_model = false;       // what is worked out of the model stops; what is known stays
  bool resume_model = false;       // and goes on
  bool cancel_difference = false;  // the comparison with a held model stops; what is known stays
  bool resume_difference = false;  // and goes on
  bool look_for_closed =
      false;  // the menu opens: what was closed with changes is wanted, and models on the disk
  bool look_for_models = false;                 // those models alone
  bool back_to_model = false;                   // undo goes to where a model was open last
  std::optional<std::filesystem::path> reopen;  // what was closed; an empty path: the last
  std::optional<std::size_t> backend;           // compute on this choice of Backends from here on
  bool hold = false;                            // what is on screen becomes B
  bool swap = false;                            // B is shown and edited, what was shown becomes B
  std::optional<LessonRequest> lesson;          // this step is shown
  bool look_for_lesson_model = false;           // it may be on this computer now
  std::optional<MadeDocument> made;             // becomes the Document
  bool release_held = false;                    // there is no B any more
  std::string copy;                             // text for the clipboard; empty = nothing
  int history = 0;                              // -1: one step back, +1: one forward
};

}  // namespace attnscope
