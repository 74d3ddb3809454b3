#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/lessons/lesson_reader.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"
#include "core/training/tasks/task.hpp"

namespace attnscope::lessons {

namespace {

using nlohmann::json;

constexpr std::int64_t most_bytes = std::int64_t{1} << 20;
constexpr std::size_t most_steps = 64;

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::pair<std::string_view, std::string_view> field_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return {{}, trimmed(line)};
  return {trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1))};
}

LessonReader::Lines LessonReader::lines_of(std::string_view text) {
  Lines lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({number, line});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

LessonReader::LessonReader(std::string_view text, const std::string& name)
    : name_(name), lines_(lines_of(text)) {
  const auto refuse_at = [&](std::size_t at, std::string_view sentence) {
    line_ = 1 + static_cast<int>(std::ranges::count(text.substr(0, at), '\n'));
    fail(sentence);
  };
  if (const auto wrong = first_invalid_utf8(text)) refuse_at(*wrong, "the text is not valid UTF-8");
  const auto is_control = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0x7f || (byte < 0x20 && c != '\n' && c != '\r' && c != '\t');
  };
  if (const auto found = std::ranges::find_if(text, is_control); found != text.end())
    refuse_at(static_cast<std::size_t>(found - text.begin()),
              fmt::format("a control character ({}) stands in the text", in_quotes({&*found, 1})));
}

Lesson LessonReader::read() {
  read_front();
  while (at_ < lines_.size()) read_line();
  finish_paragraph();
  finish_step();
  if (lesson_.steps.empty()) fail("the lesson has no step; a step begins with a line \"## Its title\"");
  return std::move(lesson_);
}

void LessonReader::fail_at(int line, std::string_view sentence) const {
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  throw Error(fmt::format("{}:{}: {}.", name_, line, sentence));
}

const LessonReader::Line& LessonReader::next() {
  line_ = lines_[at_].number;
  return lines_[at_++];
}

std::int64_t LessonReader::whole(std::string_view name, std::string_view text, std::int64_t low,
                                 std::int64_t high) const {
  std::int64_t value = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc() || end != text.data() + text.size() || value < low || value > high)
    fail(fmt::format("\"{}\" is \"{}\"; expected a whole number from {} to {}", name, text, low, high));
  return value;
}

double LessonReader::real(std::string_view name, std::string_view text) const {
  double value = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc() || end != text.data() + text.size())
    fail(fmt::format("\"{}\" is \"{}\"; expected a number", name, text));
  return value;
}

std::vector<std::string> LessonReader::list_of(std::string_view value) const {
  std::vector<std::string> list;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(','), value.size());
    if (const std::string_view one = trimmed(value.substr(0, end)); !one.empty()) list.emplace_back(one);
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return list;
}

void LessonReader::read_front() {
  if (lines_.empty() || trimmed(lines_[0].text) != "---") {
    line_ = 1;
    fail("a lesson begins with a line \"---\", its title and another \"---\"");
  }
  next();
  while (at_ < lines_.size()) {
    const Line& line = next();
    if (trimmed(line.text) == "---") {
      if (lesson_.of_model() && lesson_.of_training())
        fail("a lesson plays with a \"model\" or has a \"training\", not both");
      if (lesson_.title.empty()) fail("the front matter has no \"lesson: TITLE\"");
      return;
    }
    if (!trimmed(line.text).empty()) read_front_field(field_of(line.text));
  }
  fail("the front matter is not closed with \"---\"");
}

void LessonReader::read_front_field(const std::pair<std::string_view, std::string_view>& field) {
  const auto& [name, value] = field;
  if (name == "lesson")
    lesson_.title = value;
  else if (name == "number")
    lesson_.number = whole(name, value, 0, 999);
  else if (name == "minutes")
    lesson_.minutes = whole(name, value, 1, 240);
  else if (name == "about")
    lesson_.about = value;
  else if (name == "after")
    for (const std::string& one : list_of(value)) lesson_.after.push_back(whole(name, one, 1, 999));
  else if (name == "model")
    lesson_.model = value;
  else if (name == "training")
    read_training(value);
  else
    fail(fmt::format(
        "the front matter has \"{}\"; there are lesson, number, minutes, about, after, model and training",
        name));
}

void LessonReader::read_line() {
  const Line& line = next();
  const std::string_view text = trimmed(line.text);
  if (text.starts_with("```")) return read_fence(trimmed(text.substr(3)));
  if (text.starts_with("# ")) return begin_chapter(trimmed(text.substr(2)));
  if (text.starts_with("## ")) return begin_step(trimmed(text.substr(3)));
  if (text.empty()) return finish_paragraph();
  if (text.starts_with("- ")) {
    finish_paragraph();
    is_item_ = true;
    return add_to_paragraph(trimmed(text.substr(2)));
  }
  add_to_paragraph(text);
}

void LessonReader::begin_chapter(std::string_view title) {
  finish_paragraph();
  if (title.empty()) fail("a chapter has no title behind \"#\"");
  lesson_.chapters.emplace_back(title);
}

void LessonReader::begin_step(std::string_view title) {
  finish_paragraph();
  finish_step();
  if (title.empty()) fail("a step has no title behind \"##\"");
  if (lesson_.steps.size() == most_steps) fail(fmt::format("the lesson has more than {} steps", most_steps));
  if (lesson_.chapters.empty()) lesson_.chapters.push_back(lesson_.title);
  Step step;
  step.line = line_;
  step.title = title;
  step.chapter = lesson_.chapters.size() - 1;
  if (lesson_.of_training()) {
    if (!lesson_.steps.empty())
      step.trained = lesson_.steps.back().trained;
    else
      step.trained.task = lesson_.training;
    step.trained.look.reset();
    step.trained.plots.clear();
    step.trained.covers_plots = step.trained.covers_heads = true;
    step.trained.covered_curves.clear();
  }
  lesson_.steps.push_back(std::move(step));
}

Step& LessonReader::step(std::string_view what) {
  if (lesson_.steps.empty())
    fail(fmt::format("{} stands before the first step; a step begins with \"## Its title\"", what));
  return lesson_.steps.back();
}

void LessonReader::add_to_paragraph(std::string_view text) {
  if (paragraph_.empty()) paragraph_line_ = line_;
  if (!paragraph_.empty()) paragraph_ += '\n';
  paragraph_ += text;
}

void LessonReader::finish_paragraph() {
  const bool item = std::exchange(is_item_, false);
  if (paragraph_.empty()) return;
  const int line = std::exchange(line_, paragraph_line_);
  Step& here = step("prose");
  here.paragraphs.push_back({with_line([&] { return parse_prose(paragraph_, line_); }), item});
  paragraph_.clear();
  line_ = line;
}

LessonReader::Lines LessonReader::fenced(std::string_view kind) {
  const int opened = line_;
  Lines inside;
  while (at_ < lines_.size()) {
    const Line& line = next();
    if (trimmed(line.text) == "```") return inside;
    inside.push_back(line);
  }
  line_ = opened;
  fail(fmt::format("\"```{}\" is not closed with \"```\"", kind));
}

void LessonReader::read_fence(std::string_view head) {
  finish_paragraph();
  const std::string kind(head.substr(0, head.find(' ')));
  const std::string_view more = trimmed(head.substr(kind.size()));
  const int opened = line_;
  const Lines inside = fenced(kind);
  if (lesson_.of_training() && (kind == "start" || kind == "set" || kind == "held" || kind == "look")) {
    line_ = opened;
    fail(fmt::format("\"{}\" is not for lessons that train: \"train\" says what is on screen", kind));
  }
  if (kind == "train") {
    read_train(inside, opened);
  } else if (kind == "start") {
    if (!lesson_.steps.empty()) fail("\"start\" stands behind the first step; it belongs before it");
    lesson_.start = object_of(kind, inside, opened, lesson_.start_place);
  } else if (kind == "set") {
    Step& here = step(kind);
    here.change = object_of(kind, inside, opened, here.change_place);
  } else if (kind == "held") {
    line_ = opened;
    if (lesson_.of_model())
      fail("\"held\" is not for lessons on a model: what is changed inside stands beside what was");
    Step& here = step(kind);
    here.held = object_of(kind, inside, opened, here.held_place);
  } else if (kind == "look") {
    read_look(inside);
  } else if (kind == "ask") {
    read_question(more, inside, opened);
  } else if (kind == "done") {
    read_done(inside, opened);
  } else if (kind == "notes") {
    read_notes(inside);
  } else if (kind == "numpy" || kind == "pytorch") {
    read_code(kind == "numpy" ? step(kind).numpy : step(kind).pytorch, inside);
  } else {
    line_ = opened;
    fail(
        fmt::format("\"```{}\" is no setting; there are start, set, held, look, train, ask, done, notes, "
                    "numpy and pytorch",
                    kind));
  }
}

void LessonReader::finish_step() {
  if (lesson_.steps.empty()) return;
  Step& here = lesson_.steps.back();
  finish_look(here);
  const auto* const curve = here.question ? std::get_if<CurveQuestion>(&here.question->kind) : nullptr;
  if (curve == nullptr) return;
  const auto names = measure_names(*training::find_task(here.trained.task));
  if (std::ranges::find(names, curve->measure) == names.end())
    fail_at(here.lines.measure, fmt::format("\"measure\" is \"{}\"; the task {} has {}", curve->measure,
                                            here.trained.task, fmt::join(names, ", ")));
  if (here.trained.steps == 0)
    fail_at(here.lines.question,
            "\"ask curve\" asks for a curve of 0 steps; \"steps\" in \"train\" says how long it is");
  here.trained.covers_plots = here.covers_plot = true;
}

void LessonReader::read_notes(const Lines& inside) {
  Step& here = step("notes");
  for (const Line& line : inside) {
    line_ = line.number;
    const std::string_view text = trimmed(line.text);
    here.notes += std::string(text) + "\n";
    here.notes_prose.push_back(with_line([&] { return parse_notes(text, line_); }));
  }
}

std::string LessonReader::object_of(const std::string& kind, const Lines& inside, int opened,
                                    JsonPlace& place) {
  place = {inside.empty() ? opened : inside.front().number, {}};
  for (const Line& line : inside) place.text += std::string(line.text) + "\n";
  const std::string& text = place.text;
  line_ = place.line;
  try {
    const json object = json::parse(text);
    if (!object.is_object()) fail(fmt::format("\"{}\" has to be a JSON object in braces", kind));
    return object.dump();
  } catch (const json::parse_error& error) {
    const auto byte = std::min(error.byte, text.size());
    line_ += static_cast<int>(
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte > 0 ? byte - 1 : 0), '\n'));
    fail(fmt::format("\"{}\" is no JSON: an error at this line", kind));
  } catch (const json::exception&) {
    fail(fmt::format("\"{}\" is no JSON object", kind));
  }
}

Lesson parse_lesson(std::string_view text, const std::string& name) {
  return LessonReader(text, name).read();
}

Lesson read_lesson(const std::filesystem::path& path) {
  return parse_lesson(read_whole(path, most_bytes), path.filename().native());
}

std::string notes_said(const Step& step, const LookUp& numbers) {
  std::string said;
  for (const Prose& line : step.notes_prose) {
    for (const Piece& piece : line)
      said += piece.number ? written(*piece.number, numbers, piece.style) : piece.text;
    said += '\n';
  }
  return said;
}

}  // namespace attnscope::lessons
