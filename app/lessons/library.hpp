// app/lessons: the lessons that are there, and the one that is open with the Documents of its steps. How far
// each was read is kept from run to run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/check.hpp"
#include "app/lessons/lesson.hpp"
#include "app/lessons/lesson_model.hpp"

namespace attnscope::lessons {

/// One of those in `assets/lessons`.
struct LessonEntry {
  std::string name;  // of its file, without ending: "04-why-divide"
  std::string title, about;
  std::int64_t number = 0, minutes = 0, steps = 0;
  std::string problem;       // why it cannot be read: one sentence; empty where it can
  bool is_english = false;   // another language is spoken that it has no file in
  bool trains = false;       // a model, while one watches
  bool needs_model = false;  // one that does not come along
};

/// A lesson that is being played: immutable.
struct OpenLesson {
  std::string name;  // as it was asked for
  Lesson lesson;
  std::vector<StepDocuments> documents;  // by step; of a lesson on a model in that model once it is open
  std::filesystem::path path;            // of its file
  bool is_english = false;               // another language is spoken that it has no file in
};
using OpenLessonPtr = std::shared_ptr<const OpenLesson>;

/// What views are given of lessons.
struct LessonSight {
  const std::vector<LessonEntry>* entries = nullptr;
  OpenLessonPtr open;                 // null: none
  std::string problem;                // why what was asked for is not open: one sentence; empty where it is
  const ModelSight* model = nullptr;  // of the model that the lesson plays with; null: nowhere
  const std::map<std::string, std::int64_t, std::less<>>* furthest = nullptr;  // step reached, by name
  bool trains() const { return open != nullptr && open->lesson.of_training(); }
};

/// Belongs to the interface's thread.
class LessonLibrary {
 public:
  /// `assets`: where "lessons" lies. `state`: where how far one has come is kept; empty: nowhere.
  LessonLibrary(const std::filesystem::path& assets, std::filesystem::path state);

  /// Opens the lesson of that name, or at that path where it has a slash; an empty name: none. In the
  /// language's own file where there is one ("04-why-divide.de.md"), else the English one. Read again only
  /// where name or language is another.
  void follow(std::string_view name, std::string_view language);
  /// The lesson is read again from its file: it was written in an editor meanwhile.
  void read_again();
  const LessonSight& sight() const { return sight_; }

  /// The model of the lesson that is open is there: its Documents are in it from here on.
  void give_model(const OpenedModelPtr&);
  /// Whether they are.
  bool has_model() const { return model_ != nullptr; }
  /// What is said of it, for sight(); it must live on.
  void show_model(const ModelSight& model) { sight_.model = &model; }

  /// How far a lesson was read: kept where it is further than before, or where `exactly`.
  void reach(const std::string& name, std::int64_t step, bool exactly = false);

 private:
  void list(std::string_view language);
  std::filesystem::path path_of(std::string_view name, std::string_view language) const;
  bool is_english(const std::filesystem::path&, std::string_view language) const;

  std::filesystem::path lessons_, state_;
  std::string name_, language_;
  OpenedModelPtr model_;  // of the lesson that is open; null: it has none, or none is there
  bool listed_ = false;
  std::vector<LessonEntry> entries_;
  std::map<std::string, std::int64_t, std::less<>> furthest_;
  LessonSight sight_;
};

/// Whether a file that is dropped on the window is a lesson: Markdown that begins with "---" and "lesson:".
bool is_lesson(const std::filesystem::path&);

}  // namespace attnscope::lessons
