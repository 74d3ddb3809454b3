// app/lessons: a course: chapters that string steps of lessons, and pages to play with, on one thread. Read
// from Markdown in assets/courses, with the script that the speaker says at each stop.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope::lessons {

struct Lesson;

/// A piece of the script: words to say, or a cue in brackets: what to do at this place.
struct ScriptPiece {
  std::string text;
  bool cue = false;
};
using ScriptParagraph = std::vector<ScriptPiece>;

/// A place on the thread: a step of a lesson, or a page on which the step before it is played with.
struct CourseStop {
  int line = 0;             // in the course's file, from 1
  std::size_t chapter = 0;  // index in Course::chapters
  std::string lesson;       // name of the lesson; of a page: that of the step before it
  std::int64_t step = 0;    // in that lesson, from 0
  std::string page;         // the name of the page's mode; empty: the stop is the step itself
  std::int64_t lesson_number = 0;
  bool asks = false;        // the step has a question
  std::vector<bool> right;  // of a question with choices: which are right, in the order of the file
  std::vector<ScriptParagraph> script;
};

struct CourseChapter {
  int line = 0;
  std::string title;
  std::int64_t minutes = 0;
  std::string predict, does;                // what is asked, and what is done, on the chapter's card
  std::string keep;                         // the sentence that is kept of it
  std::vector<std::vector<float>> picture;  // weights by rows; empty: none
  std::size_t first = 0, last = 0;          // its stops
  bool trains = false, needs_model = false;
};

struct Course {
  std::string name;  // of its file, without ending
  std::string title, about;
  std::vector<CourseChapter> chapters;
  std::vector<CourseStop> stops;
  std::string problem;      // one sentence that tells why it cannot be read; else empty
  bool is_english = false;  // another language is spoken, for which there is no file

  std::int64_t minutes() const;
  /// When a stop begins as planned, in minutes from the start: a chapter's time is shared evenly by its
  /// stops. Of the number of stops: when the course ends.
  double begins_at(std::size_t stop) const;
  /// The stop of this step; empty: the step is not on the thread.
  std::optional<std::size_t> stop_of(std::string_view lesson, std::int64_t step) const;
};

/// The pages at which a course can stop, by the names of their modes.
inline constexpr std::array<std::string_view, 4> course_pages{"explore", "walk", "model", "training"};

/// The lesson of a name; throws Error with a sentence if it cannot be read. The reference stays valid while
/// the course is read.
using FindLesson = std::function<const Lesson&(const std::string& name)>;

/// Throws Error: "NAME:12: sentence.", with the line from 1.
Course parse_course(std::string_view text, const std::string& file_name, const FindLesson&);
/// The same from a file, with the English lessons of that folder.
Course read_course(const std::filesystem::path&, const std::filesystem::path& lessons);
/// Whether the file is Markdown that begins with "---" and "course:".
bool is_course(const std::filesystem::path&);

}  // namespace attnscope::lessons
