// app/state: a view's requests to the App beyond an edited Document: files, the held state B and others. The
// App serves them after the frame is drawn, so that no view changes the data of another in the same frame.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/files/file_kinds.hpp"
#include "app/kit/ui/theme.hpp"
#include "core/edits/sweep.hpp"

namespace attnscope {

/// The part of the window that a saved picture shows: all of it, or one region. Focus is the middle: the
/// heatmap of Explore, or the whole page in Walk, Compare and Model. Grid is a separate picture of all heads
/// of a model, with those scrolled out of sight.
enum class PictureRegion : std::uint8_t { Window, Focus, Heads, Signals, Inspector, Grid };
/// From "window", "focus", "heads", "signals", "inspector" or "grid"; empty for any other name.
std::optional<PictureRegion> picture_region_named(std::string_view);

/// Several pictures in one file. Sweep: a setting is swept; Values: the values of the experiment on screen;
/// both as an animated PNG. Steps: the steps of the lesson on screen as the pages of a PDF.
enum class PictureSeries : std::uint8_t { None, Sweep, Values, Steps };

struct PictureRequest {
  PictureRegion region = PictureRegion::Window;
  float scale = 1;                      // factor on the size on screen
  std::filesystem::path path;           // .png, .svg, .html or .pdf; of a print see print_file()
  std::optional<ThemeName> theme = {};  // empty: as on the screen
  int token_pixels = 4;  // of Grid, instead of `scale`: the side of a token in a head's picture
  PictureSeries series = PictureSeries::None;
  edit::Sweep sweep = {};                 // for Sweep
  std::string caption = {};               // drawn into the picture
  bool answers = false;                   // for Steps: questions are shown with their answers
  LessonPrint print = LessonPrint::None;  // for Steps: instead of the pages of a handout
  std::int64_t sheet = 0;                 // seed of a worksheet or a quiz
};
inline constexpr int least_token_pixels = 1, most_token_pixels = 16;
inline constexpr int least_picture_scale = 1, most_picture_scale = 8;

/// A step of a lesson, from 0; see LessonLibrary::follow().
struct LessonRequest {
  std::string name;
  std::int64_t step = 0;
};

/// The course that the program begins with, by the name of its file.
inline constexpr std::string_view first_course = "attention-in-one-hour";

/// A stop of a course.
struct CourseRequest {
  std::string name;  // of its file
  std::optional<std::int64_t> stop =
      {};             // from 0; empty: the furthest that was reached; their number: the end
  bool anew = false;  // forgets how far it was taken, and its answers
};

/// A Document that a page made. It is opened like a file and shown in Explore.
struct MadeDocument {
  Document document;
  std::optional<Document> held = {};  // becomes B; empty: B is released
};

struct Requests {
  std::optional<std::filesystem::path> open;
  std::string layer;                          // of the dump to open; empty = the first
  bool cancel_opening = false;                // stop reading the large file
  std::optional<std::filesystem::path> save;  // an empty path: the file it was saved to or opened from
  std::optional<PictureRequest> picture;
  bool cancel_export = false;      // stop the export of a model
  bool replace = false;            // saving may overwrite another file: the user has confirmed it
  bool cancel_model = false;       // stop the computation on the model; known results stay
  bool resume_model = false;       // continue it
  bool cancel_difference = false;  // stop the comparison with a held model; known results stay
  bool resume_difference = false;  // continue it
  bool look_for_closed =
      false;  // the menu opens: list documents closed with unsaved changes, and models on the disk
  bool look_for_models = false;                 // list only the models
  bool back_to_model = false;                   // undo back to the last step with a model
  std::optional<std::filesystem::path> reopen;  // a closed document; an empty path: the last one
  std::optional<std::size_t> backend;           // compute on this entry of Backends from now on
  bool hold = false;                            // what is on screen becomes B
  bool swap = false;                            // exchange B and what is shown and edited
  std::optional<LessonRequest> lesson;          // show this step
  std::optional<CourseRequest> course;          // show this stop
  bool look_for_lesson_model = false;           // search again for the lesson's model on the disk
  std::optional<MadeDocument> made;             // becomes the Document
  bool release_held = false;                    // release B
  std::string copy;                             // text for the clipboard; empty = nothing
  int history = 0;                              // -1: one step back, +1: one forward
};

}  // namespace attnscope
