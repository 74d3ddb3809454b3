// app/lessons: the available lessons, and the open one with the Documents of its steps. The furthest step of
// each is stored from run to run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/check.hpp"
#include "app/lessons/course.hpp"
#include "app/lessons/lesson.hpp"
#include "app/lessons/lesson_model.hpp"

namespace attnscope::lessons {

/// A lesson in `assets/lessons`.
struct LessonEntry {
  std::string name;  // of its file, without ending: "04-why-divide"
  std::string title, about;
  std::int64_t number = 0, minutes = 0, steps = 0;
  std::vector<std::int64_t> after;  // numbers of the lessons that it builds on
  std::string problem;              // one sentence that tells why it cannot be read; else empty
  bool is_english = false;          // another language is spoken, for which there is no file
  bool trains = false;              // trains a model while one watches
  bool needs_model = false;         // a model that does not come with the program
};

/// A lesson that is being played: immutable.
struct OpenLesson {
  std::string name;  // as it was requested
  Lesson lesson;
  std::vector<StepDocuments> documents;  // by step; of a lesson on a model: in the model once that is open
  std::filesystem::path path;            // of its file
  bool is_english = false;               // another language is spoken, for which there is no file
};
using OpenLessonPtr = std::shared_ptr<const OpenLesson>;

/// The name under which the furthest stop of a course is stored.
std::string progress_name(const Course&);

/// The views' access to lessons.
struct ShownLessons {
  const std::vector<LessonEntry>* entries = nullptr;
  const std::vector<Course>* courses = nullptr;
  OpenLessonPtr open;                       // null: none
  std::string problem;                      // one sentence: why the requested lesson is not open; else empty
  const ShownLessonModel* model = nullptr;  // the model of the open lesson; null: not available
  const std::map<std::string, std::int64_t, std::less<>>* furthest = nullptr;  // step reached, by name
  /// Null: there is no course of this name, or it cannot be read.
  const Course* course(std::string_view name) const;
  /// The stop of a course that was reached; its number of stops: it was finished.
  std::int64_t reached_in(const Course&) const;
  bool trains() const { return open != nullptr && open->lesson.of_training(); }
};

/// Belongs to the interface's thread.
class LessonLibrary {
 public:
  /// `assets`: the folder that has "lessons" and "courses". `state`: the folder that stores the reached
  /// steps; empty: none.
  LessonLibrary(const std::filesystem::path& assets, std::filesystem::path state);

  /// Opens the lesson of that name, or at that path if it has a slash; an empty name: none. Uses the
  /// language's own file if there is one ("04-why-divide.de.md"), else the English one. Reads it again only
  /// if the name or the language has changed.
  void follow(std::string_view name, std::string_view language);
  /// Reads the lesson again from its file, which may have been edited meanwhile.
  void read_again();
  const ShownLessons& shown_lessons() const { return shown_; }

  /// Sets the model of the open lesson: its Documents are in the model from here on.
  void give_model(const OpenedModelPtr&);
  /// Whether the model is set.
  bool has_model() const { return model_ != nullptr; }
  /// Sets the model's state for shown_lessons(); it must stay alive.
  void show_model(const ShownLessonModel& model) { shown_.model = &model; }

  /// Stores the reached step if it is further than before, or in any case if `exactly`.
  void reach(const std::string& name, std::int64_t step, bool exactly = false);

 private:
  void list(std::string_view language);
  void list_courses(std::string_view language);
  std::filesystem::path path_of(std::string_view name, std::string_view language) const;
  bool is_english(const std::filesystem::path&, std::string_view language) const;

  std::filesystem::path lessons_, courses_folder_, state_;
  std::string name_, language_;
  OpenedModelPtr model_;  // of the open lesson; null: it has none, or it is not available
  bool listed_ = false;
  std::vector<LessonEntry> entries_;
  std::vector<Course> courses_;
  std::map<std::string, std::int64_t, std::less<>> furthest_;
  ShownLessons shown_;
};

/// Whether a file that is dropped on the window is a lesson: Markdown that begins with "---" and "lesson:".
bool is_lesson(const std::filesystem::path&);

}  // namespace attnscope::lessons
