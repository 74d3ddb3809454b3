#include "app/lessons/library.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/posix.hpp"

namespace attnscope::lessons {
namespace {

constexpr std::int64_t most_kept = std::int64_t{1} << 20;  // bytes of the list of reached steps
constexpr std::string_view english_code = "en";

/// "04-why-divide" of "04-why-divide.md"; empty for "04-why-divide.de.md" and for other files.
std::string english_name(const std::filesystem::path& file) {
  if (lower_extension(file) != ".md") return {};
  const std::string stem = file.stem().native();
  return stem.find('.') == std::string::npos ? stem : std::string();
}

/// Lines "step name".
std::map<std::string, std::int64_t, std::less<>> read_furthest(const std::filesystem::path& file) {
  std::map<std::string, std::int64_t, std::less<>> furthest;
  try {
    const std::string text = read_whole(file, most_kept);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = std::string_view(text).substr(at, end - at);
      const std::size_t space = line.find(' ');
      std::int64_t step = 0;
      if (space != line.npos &&
          std::from_chars(line.data(), line.data() + space, step).ptr == line.data() + space && step >= 0)
        furthest[std::string(line.substr(space + 1))] = step;
      at = end + 1;
    }
  } catch (const Error&) {  // the first run has no such file
  }
  return furthest;
}

}  // namespace

std::string progress_name(const Course& course) { return "courses/" + course.name; }

const Course* ShownLessons::course(std::string_view name) const {
  if (courses == nullptr || name.empty()) return nullptr;
  const auto found = std::ranges::find(*courses, name, &Course::name);
  return found == courses->end() || !found->problem.empty() ? nullptr : &*found;
}

std::int64_t ShownLessons::reached_in(const Course& course) const {
  if (furthest == nullptr) return 0;
  const auto found = furthest->find(progress_name(course));
  if (found == furthest->end()) return 0;
  return std::clamp<std::int64_t>(found->second, 0, std::ssize(course.stops));
}

LessonLibrary::LessonLibrary(const std::filesystem::path& assets, std::filesystem::path state)
    : lessons_(assets / "lessons"), courses_folder_(assets / "courses"), state_(std::move(state)) {
  if (!state_.empty()) furthest_ = read_furthest(state_ / "lessons");
  shown_.entries = &entries_;
  shown_.courses = &courses_;
  shown_.furthest = &furthest_;
}

std::filesystem::path LessonLibrary::path_of(std::string_view name, std::string_view language) const {
  if (name.find('/') != name.npos) return std::filesystem::path(name);
  if (language != english_code) {
    std::filesystem::path translated = lessons_ / fmt::format("{}.{}.md", name, language);
    std::error_code unknown;
    if (std::filesystem::exists(translated, unknown)) return translated;
  }
  return lessons_ / fmt::format("{}.md", name);
}

/// Whether the file is one of the program's lessons in English while another language is spoken.
bool LessonLibrary::is_english(const std::filesystem::path& path, std::string_view language) const {
  return language != english_code && path.parent_path() == lessons_ && !english_name(path).empty();
}

void LessonLibrary::list(std::string_view language) {
  entries_.clear();
  std::error_code unknown;
  for (const auto& file : std::filesystem::directory_iterator(lessons_, unknown)) {
    LessonEntry entry;
    entry.name = english_name(file.path());
    if (entry.name.empty()) continue;
    try {
      const std::filesystem::path path = path_of(entry.name, language);
      const Lesson lesson = read_lesson(path);
      entry.is_english = is_english(path, language);
      entry.title = lesson.title;
      entry.about = lesson.about;
      entry.number = lesson.number;
      entry.minutes = lesson.minutes;
      entry.after = lesson.after;
      entry.steps = std::ssize(lesson.steps);
      entry.trains = lesson.of_training();
      // A path leads to a model that comes with the program; a name stands for one to download.
      entry.needs_model = lesson.of_model() && lesson.model.find('/') == std::string::npos;
    } catch (const Error& error) {
      entry.title = entry.name;
      entry.problem = error.what();
    }
    entries_.push_back(std::move(entry));
  }
  std::ranges::sort(entries_, {}, [](const LessonEntry& e) { return std::pair(e.number, e.name); });
  list_courses(language);
}

/// A course that cannot be read is listed with the reason.
void LessonLibrary::list_courses(std::string_view language) {
  courses_.clear();
  std::error_code unknown;
  for (const auto& file : std::filesystem::directory_iterator(courses_folder_, unknown)) {
    const std::string name = english_name(file.path());
    if (name.empty()) continue;
    std::filesystem::path path = courses_folder_ / fmt::format("{}.{}.md", name, language);
    const bool translated = language != english_code && std::filesystem::exists(path, unknown);
    if (!translated) path = file.path();
    Course course;
    try {
      course = read_course(path, lessons_);
      course.is_english = language != english_code && !translated;
    } catch (const Error& error) {
      course.name = course.title = name;
      course.problem = error.what();
    }
    courses_.push_back(std::move(course));
  }
  std::ranges::sort(courses_, {}, &Course::name);
}

void LessonLibrary::follow(std::string_view name, std::string_view language) {
  const bool spoken = language == language_;
  if (!std::exchange(listed_, true) || !spoken) list(language);
  if (spoken && name == name_) return;
  name_ = name;
  language_ = language;
  read_again();
}

void LessonLibrary::read_again() {
  const std::string was_of = shown_.open ? shown_.open->lesson.model : std::string();
  shown_.open = nullptr;
  shown_.problem.clear();
  if (name_.empty()) return model_.reset();
  try {
    const std::filesystem::path path = path_of(name_, language_);
    auto open = std::make_shared<OpenLesson>();
    open->name = name_;
    open->path = path;
    open->is_english = is_english(path, language_);
    open->lesson = read_lesson(path);
    open->documents = documents_of(open->lesson, path.filename().native());
    if (!open->lesson.of_model() || open->lesson.model != was_of) model_ = nullptr;
    if (model_) open->documents = placed_in(model_, open->lesson, std::move(open->documents), path);
    shown_.open = std::move(open);
  } catch (const Error& error) {
    shown_.problem = error.what();
  }
}

void LessonLibrary::give_model(const OpenedModelPtr& model) {
  if (!shown_.open || !shown_.open->lesson.of_model() || model_ == model) return;
  model_ = model;
  auto open = std::make_shared<OpenLesson>(*shown_.open);
  try {
    open->documents = placed_in(model, open->lesson, std::move(open->documents), open->path);
    shown_.open = std::move(open);
  } catch (const Error& error) {
    shown_.open = nullptr;
    shown_.problem = error.what();
  }
}

void LessonLibrary::reach(const std::string& name, std::int64_t step, bool exactly) {
  std::int64_t& furthest = furthest_[name];
  if (step <= furthest && !(exactly && step != furthest)) return;
  furthest = step;
  if (state_.empty() || name.find('\n') != std::string::npos) return;
  std::string text;
  for (const auto& [known, at] : furthest_) text += fmt::format("{} {}\n", at, known);
  try {
    std::error_code unknown;
    std::filesystem::create_directories(state_, unknown);
    write_atomically(state_ / "lessons", std::array{std::string_view(text)});
  } catch (const Error&) {  // a failure to store this is not reported
  }
}

bool is_lesson(const std::filesystem::path& path) {
  if (lower_extension(path) != ".md") return false;
  try {
    const std::string text = read_whole(path, most_kept);
    const std::string_view begin = std::string_view(text).substr(0, 4096);
    return begin.starts_with("---") && begin.find("\nlesson:") != begin.npos;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace attnscope::lessons
