#include "app/lessons/course.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/lessons/lesson.hpp"
#include "app/lessons/lesson_reader.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::lessons {
namespace {

constexpr std::int64_t most_course_bytes = std::int64_t{1} << 20;
constexpr std::size_t most_chapters = 12, most_stops = 96, most_picture = 16;
constexpr std::array<std::string_view, 9> cue_keys{"R",  "V", "Shift V", "Space", "Esc",
                                                   "F5", "N", "P",       "digits"};

class CourseReader {
 public:
  CourseReader(std::string_view text, const std::string& name, const FindLesson& find)
      : text_(text), name_(name), find_(find) {}

  Course read() {
    if (first_invalid_utf8(text_)) fail("the text is not valid UTF-8");
    read_front();
    for (std::string_view line; next(line);) read_line(trimmed(line));
    finish_paragraph();
    finish_chapter();
    if (course_.chapters.empty()) fail("the course has no chapter; a chapter begins with \"# Its title\"");
    return std::move(course_);
  }

 private:
  [[noreturn]] void fail_at(int line, std::string_view sentence) const {
    if (sentence.ends_with('.')) sentence.remove_suffix(1);
    throw Error(fmt::format("{}:{}: {}.", name_, line, sentence));
  }
  [[noreturn]] void fail(std::string_view sentence) const { fail_at(std::max(1, line_), sentence); }

  bool next(std::string_view& line) {
    if (text_.empty()) return false;
    ++line_;
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return true;
  }

  void read_front() {
    std::string_view line;
    if (!next(line) || trimmed(line) != "---")
      fail("a course begins with a line \"---\", its title and another \"---\"");
    while (next(line)) {
      if (trimmed(line) == "---") {
        if (course_.title.empty()) fail("the front matter has no \"course: TITLE\"");
        return;
      }
      const auto [name, value] = field_of(line);
      if (name == "course")
        course_.title = value;
      else if (name == "about")
        course_.about = value;
      else if (!trimmed(line).empty())
        fail(fmt::format("the front matter has \"{}\"; there are course and about", name));
    }
    fail("the front matter is not closed with \"---\"");
  }

  void read_line(std::string_view line) {
    if (line.starts_with("## ")) return begin_stop(trimmed(line.substr(3)));
    if (line.starts_with("# ")) return begin_chapter(trimmed(line.substr(2)));
    if (line.empty()) return finish_paragraph();
    if (course_.chapters.empty())
      fail("words stand before the first chapter, which begins with \"# Its title\"");
    if (!in_stop_) return read_chapter_field(line);
    if (paragraph_.empty()) paragraph_line_ = line_;
    if (!paragraph_.empty()) paragraph_ += ' ';
    paragraph_ += line;
  }

  void begin_chapter(std::string_view title) {
    finish_paragraph();
    finish_chapter();
    if (title.empty()) fail("a chapter has no title after \"#\"");
    if (course_.chapters.size() == most_chapters)
      fail(fmt::format("the course has more than {} chapters", most_chapters));
    CourseChapter chapter;
    chapter.line = line_;
    chapter.title = title;
    chapter.first = course_.stops.size();
    course_.chapters.push_back(std::move(chapter));
    in_stop_ = false;
  }

  void read_chapter_field(std::string_view line) {
    CourseChapter& chapter = course_.chapters.back();
    const auto [name, value] = field_of(line);
    if (name == "minutes") {
      const auto [end, trouble] = std::from_chars(value.data(), value.data() + value.size(), chapter.minutes);
      if (trouble != std::errc() || end != value.data() + value.size() || chapter.minutes < 1 ||
          chapter.minutes > 120)
        fail(fmt::format("\"minutes\" is \"{}\"; expected a whole number from 1 to 120", value));
    } else if (name == "predict") {
      chapter.predict = value;
    } else if (name == "do") {
      chapter.does = value;
    } else if (name == "keep") {
      chapter.keep = value;
    } else if (name == "picture") {
      chapter.picture.push_back(picture_row(value));
    } else {
      fail(
          fmt::format("a chapter has \"{}\"; before its first stop, \"## LESSON / STEP\", there are minutes, "
                      "predict, do, keep and picture",
                      name.empty() ? line : name));
    }
  }

  /// "0.2 0.8": weights from 0 to 1.
  std::vector<float> picture_row(std::string_view value) const {
    std::vector<float> row;
    while (!value.empty()) {
      const std::size_t end = std::min(value.find(' '), value.size());
      float weight = -1;
      const auto [stop, trouble] = std::from_chars(value.data(), value.data() + end, weight);
      if (trouble != std::errc() || stop != value.data() + end || !(weight >= 0 && weight <= 1))
        fail(fmt::format("\"picture\" has \"{}\"; expected numbers from 0 to 1", value.substr(0, end)));
      row.push_back(weight);
      value = trimmed(value.substr(end));
    }
    const auto& rows = course_.chapters.back().picture;
    if (row.empty() || row.size() > most_picture || rows.size() == most_picture)
      fail(fmt::format("\"picture\" has 1 to {} rows of 1 to {} numbers", most_picture, most_picture));
    if (!rows.empty() && rows.front().size() != row.size())
      fail(fmt::format("this row of \"picture\" has {} numbers and the first one {}", row.size(),
                       rows.front().size()));
    return row;
  }

  void finish_chapter() {
    if (course_.chapters.empty()) return;
    CourseChapter& chapter = course_.chapters.back();
    const auto lacks = [&](std::string_view what) {
      fail_at(chapter.line, fmt::format("the chapter \"{}\" has no \"{}\"", chapter.title, what));
    };
    if (chapter.minutes == 0) lacks("minutes: N");
    if (chapter.predict.empty()) lacks("predict: WHAT");
    if (chapter.does.empty()) lacks("do: WHAT");
    if (chapter.keep.empty()) lacks("keep: SENTENCE");
    if (chapter.first == course_.stops.size()) lacks("## LESSON / STEP");
    chapter.last = course_.stops.size() - 1;
  }

  /// "04-why-divide / Every row" or "page walk".
  void begin_stop(std::string_view name) {
    finish_paragraph();
    if (course_.chapters.empty())
      fail("a stop stands before the first chapter, which begins with \"# Its title\"");
    if (course_.stops.size() == most_stops)
      fail(fmt::format("the course has more than {} stops", most_stops));
    in_stop_ = true;
    const bool is_page = name.starts_with("page ");
    CourseStop stop = is_page ? page_stop(trimmed(name.substr(5))) : step_stop(name);
    stop.line = line_;
    stop.chapter = course_.chapters.size() - 1;
    course_.stops.push_back(std::move(stop));
  }

  const Lesson& lesson_called(const std::string& name) const {
    try {
      return find_(name);
    } catch (const Error& error) {
      fail(fmt::format("the lesson \"{}\" cannot be read: {}", name, error.what()));
    }
  }

  CourseStop page_stop(std::string_view page) const {
    if (std::ranges::find(course_pages, page) == course_pages.end())
      fail(fmt::format("there is no page \"{}\" to stop at; there are {}", page,
                       fmt::join(course_pages, ", ")));
    if (course_.stops.empty() || course_.stops.back().chapter + 1 != course_.chapters.size())
      fail(
          fmt::format("the page \"{}\" stands before the first step of its chapter, and shows what the step "
                      "before it shows",
                      page));
    CourseStop stop;
    stop.lesson = course_.stops.back().lesson;
    stop.step = course_.stops.back().step;
    stop.lesson_number = course_.stops.back().lesson_number;
    stop.page = page;
    const Lesson& lesson = lesson_called(stop.lesson);
    if (lesson.of_training() != (page == "training"))
      fail(fmt::format(
          "the page \"{}\" is not for the step before it: a lesson that trains goes on on the page "
          "\"training\", and no other lesson does",
          page));
    if (page == "model" && !lesson.of_model())
      fail(fmt::format("the page \"model\" is not for the lesson \"{}\", which has no model", stop.lesson));
    return stop;
  }

  CourseStop step_stop(std::string_view name) {
    const std::size_t slash = name.find('/');
    const std::string_view title = slash == name.npos ? std::string_view() : trimmed(name.substr(slash + 1));
    if (title.empty())
      fail(fmt::format("\"{}\" is no stop; expected \"LESSON / TITLE OF ITS STEP\" or \"page NAME\"", name));
    CourseStop stop;
    stop.lesson = trimmed(name.substr(0, slash));
    const Lesson& lesson = lesson_called(stop.lesson);
    const auto step = std::ranges::find(lesson.steps, title, &Step::title);
    if (step == lesson.steps.end()) {
      std::vector<std::string> titles;
      for (const Step& one : lesson.steps) titles.push_back(in_quotes(one.title));
      fail(fmt::format("the lesson \"{}\" has no step \"{}\"; its steps are {}", stop.lesson, title,
                       fmt::join(titles, ", ")));
    }
    stop.step = step - lesson.steps.begin();
    if (const auto before = course_.stop_of(stop.lesson, stop.step))
      fail(fmt::format("the step \"{}\" stands twice, first in line {}", title, course_.stops[*before].line));
    stop.lesson_number = lesson.number;
    stop.asks = step->question.has_value();
    if (stop.asks)
      if (const auto* const choose = std::get_if<ChooseQuestion>(&step->question->kind))
        for (const Choice& choice : choose->choices) stop.right.push_back(choice.right);
    CourseChapter& chapter = course_.chapters.back();
    chapter.trains = chapter.trains || lesson.of_training();
    // A path leads to a model that comes with the program; a name stands for one to download.
    chapter.needs_model =
        chapter.needs_model || (lesson.of_model() && lesson.model.find('/') == std::string::npos);
    return stop;
  }

  void finish_paragraph() {
    if (paragraph_.empty()) return;
    const int now = std::exchange(line_, paragraph_line_);
    ScriptParagraph pieces;
    std::string_view left = paragraph_;
    while (!left.empty()) {
      const std::size_t open = std::min(left.find('['), left.size());
      if (const std::string_view said = trimmed(left.substr(0, open)); !said.empty())
        pieces.push_back({std::string(said), false});
      left.remove_prefix(open);
      if (left.empty()) break;
      const std::size_t close = left.find(']');
      if (close == left.npos) fail("a cue is not closed with \"]\"");
      pieces.push_back({cue_of(trimmed(left.substr(1, close - 1))), true});
      refuse_idle(pieces.back().text);
      left.remove_prefix(close + 1);
    }
    course_.stops.back().script.push_back(std::move(pieces));
    paragraph_.clear();
    line_ = now;
  }

  /// Throws for a key that does nothing at this stop.
  void refuse_idle(std::string_view cue) const {
    const CourseStop& stop = course_.stops.back();
    if (cue == "R" && !stop.asks) fail("[R] reveals nothing here: the step asks nothing");
    if ((cue == "V" || cue == "Shift V") && stop.right.empty())
      fail(fmt::format("[{}] counts nothing here: the step has no choices", cue));
  }

  /// A key, "point: OBJECT", "wait: SECONDS" or "do: WORDS".
  std::string cue_of(std::string_view cue) const {
    if (std::ranges::find(cue_keys, cue) != cue_keys.end()) return std::string(cue);
    const auto [name, value] = field_of(cue);
    if (name == "point" && !value.empty()) {
      try {
        (void)parse_anchor(value);
      } catch (const Error& error) {
        fail(error.what());
      }
      return std::string(cue);
    }
    int seconds = 0;
    if (name == "wait" &&
        std::from_chars(value.data(), value.data() + value.size(), seconds).ptr ==
            value.data() + value.size() &&
        seconds > 0)
      return std::string(cue);
    if (name == "do" && !value.empty()) return std::string(cue);
    fail(fmt::format(
        "\"[{}]\" is no cue; there are [point: OBJECT], [wait: SECONDS], [do: WORDS] and the keys {}", cue,
        fmt::join(cue_keys, ", ")));
  }

  std::string_view text_;
  std::string name_;
  const FindLesson& find_;
  Course course_;
  std::string paragraph_;
  int line_ = 0, paragraph_line_ = 0;
  bool in_stop_ = false;
};

}  // namespace

std::int64_t Course::minutes() const {
  return std::accumulate(
      chapters.begin(), chapters.end(), std::int64_t{0},
      [](std::int64_t sum, const CourseChapter& chapter) { return sum + chapter.minutes; });
}

double Course::begins_at(std::size_t stop) const {
  double minutes = 0;
  for (const CourseChapter& chapter : chapters) {
    const auto planned = static_cast<double>(chapter.minutes);
    if (stop <= chapter.first) break;
    if (stop > chapter.last) {
      minutes += planned;
      continue;
    }
    minutes += planned * static_cast<double>(stop - chapter.first) /
               static_cast<double>(chapter.last - chapter.first + 1);
  }
  return minutes;
}

std::optional<std::size_t> Course::stop_of(std::string_view lesson, std::int64_t step) const {
  for (std::size_t i = 0; i < stops.size(); ++i)
    if (stops[i].page.empty() && stops[i].step == step && stops[i].lesson == lesson) return i;
  return std::nullopt;
}

Course parse_course(std::string_view text, const std::string& file_name, const FindLesson& find) {
  return CourseReader(text, file_name, find).read();
}

Course read_course(const std::filesystem::path& path, const std::filesystem::path& lessons) {
  std::map<std::string, Lesson, std::less<>> known;
  const FindLesson find = [&](const std::string& name) -> const Lesson& {
    if (const auto found = known.find(name); found != known.end()) return found->second;
    if (name.find('/') != std::string::npos || !std::filesystem::exists(lessons / (name + ".md")))
      throw Error("There is no such file among the lessons.");
    return known.emplace(name, read_lesson(lessons / (name + ".md"))).first->second;
  };
  Course course = parse_course(read_whole(path, most_course_bytes), path.filename().native(), find);
  const std::string stem = path.stem().native();
  course.name = stem.substr(0, stem.find('.'));
  return course;
}

bool is_course(const std::filesystem::path& path) {
  if (lower_extension(path) != ".md") return false;
  try {
    const std::string text = read_whole(path, most_course_bytes);
    const std::string_view begin = std::string_view(text).substr(0, 4096);
    return begin.starts_with("---") && begin.find("\ncourse:") != begin.npos;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace attnscope::lessons
